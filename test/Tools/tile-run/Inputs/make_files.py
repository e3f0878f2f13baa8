"""Writes the arrays of files.test to the current folder."""

import numpy as np

x = np.random.default_rng(1).standard_normal(10)
np.save("f64.npy", x)
np.save("expected.npy", 3 * x)
np.save("i64.npy", np.arange(3))
np.save("u1.npy", np.arange(3, dtype=np.uint8))
np.save("fortran.npy", np.asfortranarray(np.arange(6, dtype=np.float16).reshape(2, 3)))
np.save("big.npy", np.array([127, 128]))
np.save("complex.npy", np.zeros(3, complex))
np.save("records.npy", np.zeros(3, [("a", "f4")]))
with open("f64.npy", "rb") as whole, open("truncated.npy", "wb") as part:
    part.write(whole.read()[:-1])
