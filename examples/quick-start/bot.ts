// A bot: it makes an account for itself, and answers every cast that mentions it, also those made while it was stopped.
// Run: node examples/quick-start/bot.ts http://127.0.0.1:2290 echo-bot [invite]
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import * as rookery from 'rookery/client'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'

const [url = 'http://127.0.0.1:2290', name = 'echo-bot', invite] = process.argv.slice(2)
const file = process.env.BOT_FILE ?? `${name}.json`
const network = rookery.createNetwork({ url })
const info = await network.hub.get('/v1/info')

// The first run makes two keys, and an account with a name. Keep the file: it owns the account.
type Bot = { fid?: number; custody: `0x${string}`; key: string; lastEventId?: string }
const bot: Bot = existsSync(file)
  ? JSON.parse(readFileSync(file, 'utf8'))
  : { custody: generatePrivateKey(), key: generatePrivateKey() }
function keep() {
  writeFileSync(`${file}.new`, JSON.stringify(bot), { mode: 0o600 })
  renameSync(`${file}.new`, file) // a crash leaves the old file or the new one
}
keep()
const wallet = privateKeyToAccount(bot.custody)
const signer = await rookery.keySigner(bot.key)
if (bot.fid === undefined) {
  const key = signer.publicKey
  bot.fid = await rookery.registerAccount(network, wallet, { key, ...(invite && { invite }) })
  keep()
  await rookery.claimName(network, wallet, { fid: bot.fid, name })
  await submit(rookery.userData('username', name))
}
console.log(`fid ${bot.fid} is @${name}`)

async function submit(body: rookery.MessageBody, timestamp?: number) {
  const account = { fid: bot.fid!, network: info.network as rookery.NetworkName }
  const author = { ...account, ...(timestamp !== undefined && { timestamp }) }
  const { bytes } = await rookery.signMessage(body, author, signer)
  return network.hub.post('/v1/submitMessage', bytes)
}

// Casts that point at the bot, as they are merged: mentions, and replies to what it wrote.
const filter = { targetFid: bot.fid, types: ['MESSAGE_TYPE_CAST_ADD'] as const }
const options = {
  // The next run continues where this one stopped: after the last event whose answer is sent. The hub keeps events for three days.
  positions: {
    load: () => bot.lastEventId,
    save(id: string) {
      bot.lastEventId = id
      keep()
    },
  },
  onPruned: () => console.log('away for too long: older casts are not answered'),
}
for await (const { message } of rookery.followMessages(network.hub, filter, options)) {
  if (!('castAddBody' in message.data)) continue
  const { fid, castAddBody } = message.data
  if (fid === bot.fid || !castAddBody.mentions.includes(bot.fid)) continue
  const text = `You said: ${castAddBody.text.trim()}`
  const answer = rookery.castAdd({ text, parent: { fid, hash: message.hash } })
  // With the time of the question the answer is the same message after a crash, and the hub says that it has it.
  await submit(answer, message.data.timestamp).catch((error) => {
    if (!rookery.hasCode(error, 'bad_request.duplicate')) throw error
  })
  console.log(`answered fid ${fid}`)
}
