B=${TESSERA:?the checkout, built}/build/bin; cd /tmp/h1w/f10
echo "== leftpad.tile: rows 1 and 2 see keys 70.. and 100.. of 128 in blocks of 64; float64 reference"
for low in -65504.0 -1e9 -1e30 -3.4028234e38; do for d in cpu sim ptx; do echo "mask $low on $d:"; $B/tile-run leftpad.tile -D LOW=$low --device $d --arg q=q.npy --arg key=key.npy --arg v=v.npy --arg start=start.npy --expect o=ref.npy --rms 3e-3 2>&1 | tail -1; done; done
echo "== unscaled.tile: row 0 sees nothing, o is the mean of v (1)"
for low in -1e9 -1e10 -1e30; do for d in cpu sim; do echo "mask $low on $d:"; $B/tile-run unscaled.tile -D LOW=$low --device $d --arg 'q=randn(3,64)' --arg 'key=randn(5,64)' --arg 'v=ones(5,64)' --arg 'len=arange(3)' --print lse --save o=o.npy 2>/dev/null | tail -1; /usr/bin/python3 -c "import numpy as np; print('  o[0,0] =', np.load('o.npy')[0,0])"; done; done
echo "== lse.tile, attention.tile: a stored maximum and log-sum-exp beyond 2.36e38 leave as -2.3586574e38 or -inf"
for d in cpu sim ptx; do $B/tile-run lse.tile --device $d --arg 'q=randn(3,64)' --arg 'key=randn(5,64)' --arg 'len=arange(3)' --print top --print lse | tail -2; done
