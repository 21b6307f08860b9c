"""Pictures of boards, drawn from data (`drawing.yaml`) and a seat's view."""
