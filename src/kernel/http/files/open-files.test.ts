import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { Writable } from 'node:stream'
import { test } from 'node:test'
import { createLogger } from '../logger.ts'
import { openFilesHint, openFilesLimit } from './open-files.ts'

/** The line that the log has about an error. */
function lineAbout(err: Error): Record<string, unknown> {
  let line = ''
  const destination = new Writable({
    write: (chunk, _encoding, done) => {
      line += chunk
      done()
    },
  })
  createLogger({ level: 'info', destination }).error({ err, route: '/v1/info' }, 'fault')
  return JSON.parse(line)
}

test('a log line about an error by too many open files says what to do', () => {
  const noFiles = Object.assign(new Error('EMFILE: too many open files, open x'), {
    code: 'EMFILE',
  })
  for (const error of [noFiles, new Error('unable to open database file')]) {
    const { hint, route, err } = lineAbout(error)
    assert.match(String(hint), /LimitNOFILE= in systemd/)
    assert.equal(route, '/v1/info')
    assert.equal((err as { message: string }).message, error.message)
  }
  assert.equal(lineAbout(new Error('no such table')).hint, undefined)
})

const isLinux = process.platform === 'linux'
test('the limit of open files is that of the process', { skip: !isLinux && 'Linux only' }, () => {
  assert.ok(openFilesLimit()! > 0)
  const module = JSON.stringify(new URL('./open-files.ts', import.meta.url))
  const script = `import(${module}).then((m) => console.log(m.openFilesLimit()))`
  const command = 'ulimit -n 200 && exec "$0" --input-type=module -e "$1"'
  const { stdout } = spawnSync('sh', ['-c', command, process.execPath, script], {
    encoding: 'utf8',
  })
  assert.equal(stdout, '200\n')
  assert.match(openFilesHint(new Error('EMFILE'))!, /, now \d+:/)
})
