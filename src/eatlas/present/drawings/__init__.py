"""The figures of the page, hand-drawn as SVG: numbers in, markup out."""
