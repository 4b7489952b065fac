// What every bundler here bundles: it publishes a cast with rookery/client and reads it back.
import { castAdd, createNetwork, keySigner, signMessage } from 'rookery/client'

/** Publishes a text as an account of a development network. Without Web Crypto, as in React Native, apps bring a signer. */
export async function publish(url, { fid, appPrivateKey, signer }, text) {
  const { hub } = createNetwork({ url })
  const from = { fid, network: 'devnet' }
  const by = signer ?? (await keySigner(appPrivateKey))
  const { bytes, hash } = await signMessage(castAdd({ text }), from, by)
  await hub.post('/v1/submitMessage', bytes)
  const cast = await hub.get('/v1/castById', { fid, hash })
  return cast.data.castAddBody.text
}

globalThis.publish = publish
