"""Pictures of boards, made from data (`drawing.yaml`) and from a seat's view."""
