// castsByParent with parameters of a cast and of a url in one query.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { castAdd } from '../src/kernel/protocol/build.ts'
import { accepted, bytes, hashesOf, hex, onEngines, refused } from './hub-support.ts'

const URL = 'https://example.com/channel'

onEngines('castsByParent', (world) => {
  test('castsByParent takes the url unless both fid and hash of a parent cast are given', async () => {
    const account = await world().account(1)
    const parent = { fid: 2n, hash: bytes(20, 7) }
    const toUrl = world().sign(
      account,
      castAdd(world().origin(account, 1), {
        text: 'in the channel',
        parent: { case: 'parentUrl', value: URL },
      }),
    )
    const toCast = world().sign(
      account,
      castAdd(world().origin(account, 2), {
        text: 'a reply',
        parent: { case: 'parentCastId', value: parent },
      }),
    )
    for (const message of [toUrl, toCast]) accepted(await world().submit(message))
    const hash = hex(parent.hash)
    const replies = (params: Record<string, string | number>) =>
      hashesOf(world(), '/v1/castsByParent', params)

    assert.deepEqual(await replies({ url: URL }), [hex(toUrl.hash)])
    assert.deepEqual(await replies({ fid: 2, url: URL }), [hex(toUrl.hash)])
    assert.deepEqual(await replies({ hash, url: URL }), [hex(toUrl.hash)])
    assert.deepEqual(await replies({ fid: 2, hash, url: URL }), [hex(toCast.hash)])
    assert.deepEqual(await replies({ fid: 2, hash }), [hex(toCast.hash)])
  })

  test('castsByParent refuses half a parent cast without a url and names the missing half', async () => {
    const code = 'bad_request.invalid_param'
    const field = async (query: string) =>
      refused(await world().get(`/v1/castsByParent?${query}`), { code }).field
    assert.equal(await field('fid=2'), 'hash')
    assert.equal(await field(`hash=${hex(bytes(20, 7))}`), 'fid')
    assert.equal(await field(''), 'url')
  })
})
