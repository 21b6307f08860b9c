"""Explanations of positions, such as why an option is legal or an effect occurred: trees of conditions with values."""
