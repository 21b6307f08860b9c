"""Text for people, in several languages: titles of entities, and sentences about options and changes."""
