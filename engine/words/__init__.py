"""Text for people, in several languages: titles of entities, sentences about options and changes."""
