B=${TESSERA:?the checkout, built}/build/bin; cd /tmp/h1w/f16
for mag in 1 1000 10000 100000; do /usr/bin/python3 -c "
import numpy as np; r=np.random.default_rng(0); g,h=[($mag+r.standard_normal(64)).astype(np.float32) for _ in 'gh']
np.save('g.npy',g); np.save('h.npy',h); np.save('ref.npy',np.exp(g[:,None].astype('f8')-h[None].astype('f8')))"
for d in cpu sim ptx; do echo "g, h about $mag on $d: $($B/tile-run gate.tile --device $d --arg g=g.npy --arg h=h.npy --expect y=ref.npy | tail -1)"; done; done
