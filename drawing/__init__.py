"""Pictures of boards, drawn from `drawing.yaml` and a seat's view."""
