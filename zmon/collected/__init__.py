"""What texts of tools say: the rows that kernel files would have given, where only texts were collected."""
