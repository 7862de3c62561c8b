"""Sources that compute vectors of texts, and what keeps them."""
