"""The rules that mend a value where it does not fit its schema."""
