"""Text for people: titles of entities, sentences of options and changes, in several languages."""
