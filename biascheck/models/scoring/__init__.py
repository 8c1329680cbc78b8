"""From queries to scores: encoding, planning, engines."""
