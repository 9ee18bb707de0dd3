"""Reports: texts, tables, pictures and pages of what was found."""
