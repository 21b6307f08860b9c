"""Text for people: titles of entities, sentences about options and changes, in several languages."""
