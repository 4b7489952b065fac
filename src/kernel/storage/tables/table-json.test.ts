// The JSON that follows from a table's fields, byte for byte, with the channel as the example.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { StoredAction } from '../../../features/actions/tables/actions.ts'
import {
  ACTION_JSON,
  OPERATOR_ACTION_JSON,
} from '../../../features/actions/tables/published-json.ts'
import { BLOCK_JSON } from '../../../features/blocks/tables/published-json.ts'
import type { StoredChannel } from '../../../features/channels/tables/channels.ts'
import {
  CHANNEL_JSON,
  FOLLOW_JSON,
  MEMBERSHIP_JSON,
} from '../../../features/channels/tables/published-json.ts'
import { Rejection } from '../../protocol/rejection.ts'

const EMPTY: StoredChannel = {
  id: 'birds',
  url: 'https://x.org/birds',
  cast_target: Uint8Array.of(1),
  name: 'Birds',
  description: '',
  image_url: '',
  header_image_url: null,
  lead_fid: null,
  moderator_fid: null,
  moderator_fids: '',
  created_at: 1_700_000_000,
  follower_count: 0,
  member_count: 0,
  pinned_hash: null,
  link_title: null,
  link_url: null,
  public_casting: 1,
  rules: null,
  created_by: 7,
  version: 9,
}
const FULL: StoredChannel = {
  ...EMPTY,
  description: 'All\nof them',
  image_url: 'https://x.org/i.png',
  header_image_url: 'https://x.org/h.png',
  lead_fid: 2,
  moderator_fid: 3,
  moderator_fids: '4,5',
  follower_count: 6,
  member_count: 4,
  pinned_hash: new Uint8Array(20).fill(0xab),
  link_title: 'Home',
  link_url: 'https://x.org',
  public_casting: 0,
  rules: 'Be kind.\nBirds only.',
}

describe('the JSON of a channel', () => {
  test('the JSON of a channel has the deployed properties in their order and omits absent ones', () => {
    assert.equal(
      JSON.stringify(CHANNEL_JSON.of(EMPTY)),
      '{"id":"birds","url":"https://x.org/birds","name":"Birds","description":"","imageUrl":"",' +
        '"createdAt":1700000000,"followerCount":0,"memberCount":0,"publicCasting":true}',
    )
    assert.equal(
      JSON.stringify(CHANNEL_JSON.of(FULL)),
      '{"id":"birds","url":"https://x.org/birds","name":"Birds","description":"All\\nof them",' +
        '"imageUrl":"https://x.org/i.png","headerImageUrl":"https://x.org/h.png","leadFid":2,' +
        '"moderatorFid":3,"moderatorFids":[4,5],"createdAt":1700000000,"followerCount":6,' +
        `"memberCount":4,"pinnedCastHash":"0x${'ab'.repeat(20)}",` +
        '"externalLink":{"title":"Home","url":"https://x.org"},"publicCasting":false,' +
        '"rules":"Be kind.\\nBirds only."}',
    )
  })

  test('the JSON of a channel has no field without a JSON name', () => {
    const text = JSON.stringify([CHANNEL_JSON.of(FULL), CHANNEL_JSON.record(FULL)])
    for (const hidden of ['cast_target', 'castTarget', 'created_by', 'createdBy', 'version']) {
      assert.ok(!text.includes(hidden), hidden)
    }
  })

  test('a channel is exported without counters and imported as the same row', () => {
    for (const row of [EMPTY, FULL]) {
      const record = CHANNEL_JSON.record(row)
      assert.ok(!('followerCount' in record) && !('memberCount' in record))
      const { cast_target, follower_count, member_count, created_by, version, ...portable } = row
      const back = CHANNEL_JSON.rowOf(JSON.parse(JSON.stringify(record)))
      assert.deepEqual({ ...back }, portable)
    }
  })

  test('a channel gets defaults for properties that an import record omits', () => {
    const { id, url, name, createdAt } = CHANNEL_JSON.of(EMPTY)
    const { description, image_url, public_casting, moderator_fids, link_url } = CHANNEL_JSON.rowOf(
      { id, url, name, createdAt },
    )
    assert.deepEqual(
      { description, image_url, public_casting, moderator_fids, link_url },
      { description: '', image_url: '', public_casting: 1, moderator_fids: '', link_url: null },
    )
  })
})

describe('a request body of channels', () => {
  test('a request body sets only the columns that its kind of request accepts', () => {
    const body = { ...CHANNEL_JSON.of(FULL), version: 1, created_by: 1 }
    assert.deepEqual(Object.keys(CHANNEL_JSON.valuesOf('edit', body)), [
      'name',
      'description',
      'image_url',
      'header_image_url',
      'moderator_fid',
      'link_title',
      'link_url',
      'public_casting',
      'rules',
    ])
    assert.deepEqual(CHANNEL_JSON.valuesOf('edit', { leadFid: 1, id: 'x', createdAt: 1 }), {})
    assert.ok(!('moderator_fid' in CHANNEL_JSON.valuesOf('create', body)))
  })

  test('a request body removes a value with null and keeps properties it does not name', () => {
    assert.deepEqual(CHANNEL_JSON.valuesOf('edit', { headerImageUrl: null, externalLink: null }), {
      header_image_url: null,
      link_title: null,
      link_url: null,
    })
    assert.deepEqual(CHANNEL_JSON.valuesOf('edit', {}), {})
  })

  const refusals: [field: string, body: object, text: RegExp][] = [
    ['name', { name: 'a\nb' }, /control characters/],
    ['name', { name: '\ud800' }, /control characters/],
    ['name', { name: ' \u200d\u3164\u2800' }, /a character that can be seen/],
    ['description', { description: 'a\u0000' }, /control characters/],
    ['imageUrl', { imageUrl: 'javascript:x' }, /must be a URL/],
    ['headerImageUrl', { headerImageUrl: '' }, /must be a URL/],
    ['externalLink.url', { externalLink: { title: 'a', url: 'ftp://x' } }, /must be a URL/],
    ['externalLink.title', { externalLink: { title: '\t', url: 'https://x' } }, /control/],
  ]
  for (const [field, body, text] of refusals) {
    test(`a request body is refused with the name of the field: ${JSON.stringify(body)}`, () => {
      assert.throws(
        () => CHANNEL_JSON.check('edit', body, 'lines.3.'),
        (error) =>
          error instanceof Rejection &&
          error.field === `lines.3.${field}` &&
          text.test(error.message),
      )
    })
  }

  test('a request body may have several lines of description and no image', () => {
    CHANNEL_JSON.check('edit', { description: 'a\n\tb\r\n', imageUrl: '', externalLink: null })
  })
})

test('follows, memberships and blocks are exported and imported with the same properties', () => {
  const follow = { channel_id: 'birds', fid: 2, followed_at: 3 }
  const membership = { channel_id: 'birds', fid: 2, standing: 'banned', since: 3 } as const
  const block = { blocker: 1, blocked: 2, created_at: 3, platform_at: 3, link_at: null }
  assert.equal(
    JSON.stringify([FOLLOW_JSON.record(follow), MEMBERSHIP_JSON.record(membership)]),
    '[{"channelId":"birds","fid":2,"followedAt":3},' +
      '{"channelId":"birds","fid":2,"standing":"banned","since":3}]',
  )
  assert.equal(
    JSON.stringify(BLOCK_JSON.record(block)),
    '{"blockerFid":1,"blockedFid":2,"createdAt":3}',
  )
  assert.deepEqual(FOLLOW_JSON.rowOf(FOLLOW_JSON.record(follow)), follow)
  assert.deepEqual(MEMBERSHIP_JSON.rowOf(MEMBERSHIP_JSON.record(membership)), membership)
  assert.deepEqual(BLOCK_JSON.rowOf(BLOCK_JSON.record(block)), {
    blocker: 1,
    blocked: 2,
    created_at: 3,
  })
})

test('fields for the operator alone are not in the public JSON of an action', () => {
  const action: StoredAction = {
    id: 1,
    name: 'a',
    icon: 'b',
    description: 'c',
    about_url: null,
    url: 'https://x/d',
    post_url: 'https://x/e',
    image_url: 'https://x/f',
    kind: 'composer',
    installs: 5,
    looked_at: 6,
    fault: null,
  }
  const shown =
    '"name":"a","icon":"b","description":"c","actionUrl":"https://x/d",' +
    '"action":{"postUrl":"https://x/e"},"imageUrl":"https://x/f"'
  assert.equal(JSON.stringify(ACTION_JSON.of(action)), `{${shown}}`)
  assert.equal(
    JSON.stringify(OPERATOR_ACTION_JSON.of(action)),
    `{${shown},"kind":"composer","addedCount":5,"lookedAt":6}`,
  )
})
