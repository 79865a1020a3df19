/** Hosts that no URL can hold, and some that none of ours may. */
export const impossibleHosts = [
  ...['localhost:99999', 'localhost:x', 'a.1', '1.2.3.4.5', '256.256.256.256', '127..0.1', '0x100000000'],
  ...['xn--a', 'xn--a.example', '[1:2:3]', '[::1', '::1', '[::1]x', '[::1%25lo]', '[]', '[v1.a]', 'a:1:2'],
  ...['', ' ', 'a b', 'x?y', 'x#y', 'a/b', 'u@h', 'a\\b', 'a,b', 'a%20b', 'a<b', 'h\xe9', 'a'.repeat(300)],
]

/** Hosts that a URL can hold, however they are spelt. */
export const possibleHosts = [
  ...['a', 'A', 'LOCALHOST', '0x7f.1', '127.1', '[::1]', '[::ffff:127.0.0.1]:80', 'a_b', '-', 'a.'],
  ...['localhost:', 'localhost:0', '127.0.0.1:65535'],
]
