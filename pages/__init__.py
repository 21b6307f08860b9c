"""Pages for people: self-contained HTML files, which escape all texts and load nothing."""
