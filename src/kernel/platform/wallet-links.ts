/** The scheme of links that open the user's wallet app: published apps register this one. */
export const WALLET_SCHEME = 'farcaster'
