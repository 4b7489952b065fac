// The bundles of single hashes: each a twelfth of the whole library.
declare module 'hash-wasm/dist/blake3.umd.min.js' {
  import type { createBLAKE3 } from 'hash-wasm'

  const library: { readonly createBLAKE3: typeof createBLAKE3 }
  export default library
}
declare module 'hash-wasm/dist/keccak.umd.min.js' {
  import type { createKeccak } from 'hash-wasm'

  const library: { readonly createKeccak: typeof createKeccak }
  export default library
}
