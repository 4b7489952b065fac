import {
  castAdd,
  createHub,
  follow,
  keySigner,
  type NetworkName,
  RookeryError,
  signMessage,
} from 'rookery/client'

const server = new URLSearchParams(location.search).get('server') ?? 'http://127.0.0.1:2290'
const hub = createHub({ url: `${server}/hub` })

const form = document.querySelector<HTMLFormElement>('#post')!
const answer = document.querySelector('#answer')!
const casts = document.querySelector('#casts')!

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  const { fid, key, text } = Object.fromEntries(new FormData(form)) as Record<string, string>
  try {
    const { network } = await hub.get('/v1/info')
    const author = { fid: Number(fid), network: network as NetworkName }
    const signed = await signMessage(castAdd({ text: text! }), author, await keySigner(key!))
    await hub.post('/v1/submitMessage', signed.bytes)
    answer.textContent = `stored as ${signed.hash}`
  } catch (error) {
    answer.textContent =
      error instanceof RookeryError ? `${error.message} (${error.code})` : `${error}`
  }
})

// Begins with what happens from now on, and continues after a lost connection.
for await (const { data } of follow(hub, '/v1/events/stream', { event_types: 'MERGE_MESSAGE' })) {
  const { message } = data.mergeMessageBody
  if (!message.data.castAddBody) continue
  const item = document.createElement('li')
  item.textContent = `fid ${message.data.fid}: ${message.data.castAddBody.text}`
  casts.prepend(item)
}
