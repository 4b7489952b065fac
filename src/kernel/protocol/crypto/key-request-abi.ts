/** The metadata of a key as contracts read it: one tuple. Pages import it, so it imports nothing. */
export const SIGNED_KEY_REQUEST_METADATA = [
  {
    type: 'tuple',
    components: [
      { name: 'requestFid', type: 'uint256' },
      { name: 'requestSigner', type: 'address' },
      { name: 'signature', type: 'bytes' },
      { name: 'deadline', type: 'uint256' },
    ],
  },
] as const
