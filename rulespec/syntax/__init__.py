"""Rules and expressions as text become syntax trees."""
