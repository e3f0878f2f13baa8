B=${TESSERA:?the checkout, built}/build/bin; cd /tmp/h1w/f17
for x in 1e-40 -1e-40 1e-37; do for d in cpu sim ptx; do echo "x = $x, $d: $($B/tile-run k.tile --device $d --arg "x=full($x,2)" --print a --print b | tail -2 | tr '\n' ' ')"; done; done
