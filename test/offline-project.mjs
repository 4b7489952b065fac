// Run in a project that has installed the package, in a network namespace that has loopback alone: what a person
// does first. Prints one line of JSON.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { networkInterfaces } from 'node:os'
import { createHub } from 'rookery/client'
import { startNetwork } from 'rookery/testing'

const npx = (...args) => {
  const child = spawn('npx', ['rookery', ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const output = { text: '' }
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output.text += text
  })
  return { child, output, ended: once(child, 'close') }
}

async function command(...args) {
  const { output, ended } = npx(...args, '--json')
  const [code] = await ended
  if (code !== 0) throw new Error(`rookery ${args.join(' ')} ended with ${code}: ${output.text}`)
  return JSON.parse(output.text)
}

const server = npx('start')
const hub = createHub({ url: 'http://127.0.0.1:2281' })
while (!(await hub.get('/v1/info').catch(() => undefined))) {
  if (server.child.exitCode !== null) throw new Error(`it ended: ${server.output.text}`)
  await new Promise((resolve) => setTimeout(resolve, 50))
}
const { fid } = await command('account', 'create')
await command('cast', 'Hello without a network', '--fid', String(fid))
const { messages } = await hub.get('/v1/castsByFid', { fid })
// Its output closes when the server itself has ended, which npx runs in a shell.
server.child.kill('SIGTERM')
await server.ended

const network = await startNetwork()
const { fid: testFid } = await network.createAccount()
await network.stop()

console.log(
  JSON.stringify({
    interfaces: Object.keys(networkInterfaces()),
    texts: messages.map(({ data }) => data.castAddBody.text),
    isDown: !(await hub.get('/v1/info').catch(() => undefined)),
    testFid,
  }),
)
