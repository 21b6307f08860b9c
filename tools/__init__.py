"""Tools of the makers: nothing that is installed imports them."""
