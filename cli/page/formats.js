// formats
