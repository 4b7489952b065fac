// The bundle of BLAKE3 alone: a twelfth of the whole library.
declare module 'hash-wasm/dist/blake3.umd.min.js' {
  import type { createBLAKE3 } from 'hash-wasm'

  const library: { readonly createBLAKE3: typeof createBLAKE3 }
  export default library
}
