import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Thread, ThreadEndedError } from './thread.ts'

const SCRIPT = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { answerInOrder, serveThread } from '${new URL('./thread-server.ts', import.meta.url)}'
    serveThread((name, post) => answerInOrder(post, (asked) => {
      if (asked === 'die') throw new Error('as asked')
      return name + ' answers ' + asked
    }))`)}`,
)

test('requests made right after a thread died are answered by the thread that replaces it', async () => {
  const thread = new Thread<string, string>(SCRIPT, 'it')
  await assert.rejects(thread.ask('die'), new ThreadEndedError('a thread ended: as asked'))
  const answers = await Promise.all([thread.ask('one'), thread.ask('two')])
  assert.deepEqual(answers, ['it answers one', 'it answers two'])
  await thread.close()
})

test('closing while no thread is running rejects every waiting request', async () => {
  const thread = new Thread<string, string>(SCRIPT, 'it')
  await assert.rejects(thread.ask('die'), ThreadEndedError)
  const asked = assert.rejects(thread.ask('one'), ThreadEndedError)
  await thread.close()
  await asked
})

test('a thread that is closed answers the requests before it first', async () => {
  const thread = new Thread<string, string>(SCRIPT, 'it')
  const asked = [thread.ask('one'), thread.ask('two')]
  await thread.close()
  assert.deepEqual(await Promise.all(asked), ['it answers one', 'it answers two'])
})
