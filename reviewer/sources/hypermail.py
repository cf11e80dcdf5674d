def is_hypermail(d): return False
def read_hypermail(d,s): yield
