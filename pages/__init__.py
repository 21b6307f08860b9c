"""Pages for people: self-contained HTML files with escaped texts, which load nothing."""
