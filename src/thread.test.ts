import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startThread, ThreadEndedError } from './thread.ts'

const SCRIPT = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from 'node:worker_threads'
    parentPort.on('message', (asked) => {
      if (asked === 'die') throw new Error('as asked')
      parentPort.postMessage('answer to ' + asked)
    })`)}`,
)

test('requests made right after a thread died are answered by the thread that replaces it', async () => {
  const thread = startThread<string, string>(SCRIPT, undefined)
  await assert.rejects(thread.ask('die'), new ThreadEndedError('a thread ended: as asked'))
  const answers = await Promise.all([thread.ask('one'), thread.ask('two')])
  assert.deepEqual(answers, ['answer to one', 'answer to two'])
  await thread.close()
})

test('closing while no thread is running rejects every waiting request', async () => {
  const thread = startThread<string, string>(SCRIPT, undefined)
  await assert.rejects(thread.ask('die'), ThreadEndedError)
  const asked = assert.rejects(thread.ask('one'), ThreadEndedError)
  await thread.close()
  await asked
})
