"""Pictures of boards: what is drawn how is data (`drawing.yaml`), and pictures are made from what a seat sees."""
