'use client'
import { castAdd, createNetwork, keySigner, signMessage } from 'rookery/client'

export function Publish({ url }: { url: string }) {
  async function publish(form: FormData) {
    const { hub } = createNetwork({ url })
    const signer = await keySigner(String(form.get('key')))
    const author = { fid: 1, network: 'devnet' } as const
    const { bytes } = await signMessage(castAdd({ text: String(form.get('text')) }), author, signer)
    await hub.post('/v1/submitMessage', bytes)
    location.reload()
  }
  return (
    <form action={publish}>
      <input name="text" aria-label="Text" />
      <input name="key" aria-label="Private key" />
      <button type="submit">Cast</button>
    </form>
  )
}
