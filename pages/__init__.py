"""Pages for people: self-contained HTML files that escape all texts and load nothing."""
