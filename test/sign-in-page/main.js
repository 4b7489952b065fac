// An app whose users sign in with auth-kit, as its guide shows it. The addresses come from the query.

import { AuthKitProvider, SignInButton } from '@farcaster/auth-kit'
import { createElement as h } from 'react'
import { createRoot } from 'react-dom/client'
import '@farcaster/auth-kit/styles.css'

const { relay, rpcUrl } = Object.fromEntries(new URLSearchParams(location.search))
const config = { relay, rpcUrl, domain: location.host, siweUri: `${location.origin}/login` }
/** Of Quick Auth, so that the app's server can have a token for the signature. */
const nonce = async () => {
  const response = await fetch(`${relay}/nonce`, { method: 'POST' })
  return (await response.json()).nonce
}
const onSuccess = (answer) => {
  globalThis.signedIn = answer
}
const onError = (error) => console.error(`sign-in failed: ${error?.message}`)

createRoot(document.getElementById('root')).render(
  h(AuthKitProvider, { config }, h(SignInButton, { nonce, onSuccess, onError })),
)
