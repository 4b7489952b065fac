import { scrypt } from '@noble/hashes/scrypt.js'

// Makes a password expensive to guess: 128 MiB and about a second for each guess. In a thread of its own, so that the page
// goes on.

const STRENGTH = { N: 2 ** 17, r: 8, p: 1, dkLen: 32, maxmem: 2 ** 28 }

self.onmessage = ({ data }: MessageEvent<{ password: Uint8Array; salt: Uint8Array }>) => {
  self.postMessage(scrypt(data.password, data.salt, STRENGTH))
}
