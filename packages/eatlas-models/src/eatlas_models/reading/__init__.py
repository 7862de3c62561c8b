"""Files that other programs have written about models."""
