"""Pages for people: self-contained HTML files, whose texts are escaped and which load nothing."""
