// The e-mail address of a member: confirmed by a link, told to nobody, and a way back to an account whose every key is lost. The
// mail server is a real one, keys are viem accounts, the clock is the test's.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type LocalAccount, privateKeyToAccount } from 'viem/accounts'
import { accountLanguageRows } from '../src/features/languages/tables/account-languages.ts'
import { CHANGE_WAIT_MS } from '../src/features/mail/address-changes.ts'
import { MAIL_KINDS } from '../src/features/mail/kinds.ts'
import { LINK_BOUNDS, LINK_LIFETIME_MS } from '../src/features/mail/own-address.ts'
import { MAILS } from '../src/features/mail/port.ts'
import { REFUSAL_LINK_MS, REFUSED_MS } from '../src/features/mail/refused-addresses.ts'
import { LINK_PURPOSES, mailAddressRows } from '../src/features/mail/tables/addresses.ts'
import { mailRows } from '../src/features/mail/tables/mails.ts'
import { callJson, signRegister, signTransfer } from '../src/kernel/accounts/signatures/sign.ts'
import { transferTypedData } from '../src/kernel/accounts/signatures/typed-data.ts'
import { fromHex } from '../src/kernel/protocol/codec/bytes.ts'
import { accountDomains } from '../src/kernel/protocol/crypto/account-domains.ts'
import { accountDataTypedData } from '../src/kernel/protocol/crypto/eip712.ts'
import { DAY_MS } from '../src/kernel/protocol/time.ts'
import { indexed } from './indexed.ts'
import { assertSaid, type MailServer, sayingIn, startMailServer, written } from './mail-support.ts'
import { createWorld, enginesOf, type World } from './world.ts'

const WAIT_DAYS = 7
const key = (digit: string): LocalAccount => privateKeyToAccount(`0x${digit.repeat(32)}`)
const tokenOf = (link: string): string => link.slice(link.lastIndexOf('=') + 1)

for (const engine of enginesOf(import.meta.url)) {
  describe(`the e-mail address of a member on ${engine}`, { concurrency: 1 }, () => {
    let world: World
    let server: MailServer
    before(async () => {
      server = await startMailServer()
      world = await createWorld({
        engine,
        env: {
          ROOKERY_VIEWS: 'on',
          ROOKERY_SMTP_URL: server.url,
          ROOKERY_PUBLIC_URL: 'https://social.example',
          ROOKERY_RECOVERY_DAYS: String(WAIT_DAYS),
          ROOKERY_TRUSTED_PROXIES: '127.0.0.1',
        },
      })
      await indexed(world.app)
    })
    after(async () => {
      await world.close()
      await server.close()
    })

    const now = () => Math.floor(world.clock.now() / 1_000)
    const domains = () => accountDomains(world.app.signingNetwork)
    let clients = 0
    /** Each call comes from another network, unless a client is given. */
    const call = async (path: string, body?: object, client = `10.${clients++ & 255}.0.1`) => {
      const response = await fetch(`${world.app.urls.accounts}/v1/${path}`, {
        ...(body && { method: 'POST', body: JSON.stringify(callJson(body)) }),
        redirect: 'manual',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': client },
      })
      const text = await response.text()
      // biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
      const json: any = text && JSON.parse(text)
      return { status: response.status, headers: response.headers, body: json }
    }
    async function register(owner: LocalAccount, isNamed = true): Promise<number> {
      const service = fromHex((await call('recovery')).body.service.address)!
      const recovery = isNamed ? service : new Uint8Array(20)
      const deadline = BigInt(now() + 3_600)
      const signed = await signRegister(owner, { deadline, domains: domains(), recovery })
      const { status, body } = await call('registerFor', signed)
      assert.equal(status, 200, JSON.stringify(body))
      return body.fid
    }
    /** What the custody key signs about the account. */
    async function signed(
      owner: LocalAccount,
      fid: number,
      action: string,
      deadline = now() + 600,
    ) {
      const request = { action, fid, network: 'devnet', deadline }
      const typedData = accountDataTypedData(request, domains().idRegistry)
      // viem infers structs from literal types; here they are data like any other.
      return { fid, deadline, signature: await owner.signTypedData(typedData as never) }
    }
    const own = async (owner: LocalAccount, fid: number) =>
      (await call('mail/own', await signed(owner, fid, 'read mail address'))).body
    const ask = async (owner: LocalAccount, fid: number, address: string, client?: string) => {
      const request = await signed(owner, fid, `add mail address ${address}`)
      return call('mail/address', { ...request, address }, client)
    }
    const send = () => world.app.jobs.run('send mails')
    async function confirmed(owner: LocalAccount, address: string, isNamed = true) {
      const fid = await register(owner, isNamed)
      assert.equal((await ask(owner, fid, address)).status, 200)
      await send()
      const [mail] = server.take(address)
      const answer = await call('mail/confirm', { token: tokenOf(mail!.links[0]!) })
      assert.deepEqual(answer.body, { fid, address, changesAt: null })
      return fid
    }
    const recovery = async (fid: number, receiver: LocalAccount, link?: string) => {
      const deadline = now() + 90 * 86_400
      const terms = { fid, to: fromHex(receiver.address)!, nonce: 0, deadline: BigInt(deadline) }
      const typedData = transferTypedData(domains(), terms)
      const signature = await receiver.signTypedData(typedData as never)
      return call('recovery', {
        fid,
        receiver: receiver.address,
        deadline,
        signature,
        note: '',
        link,
      })
    }
    const ownerOf = async (owner: LocalAccount): Promise<number> =>
      (await call(`idOf?address=${owner.address}`)).body.fid

    test('an address is that of the account once its link was used, and the link counts once and for an hour', async () => {
      const owner = key('11')
      const fid = await register(owner)
      const address = 'ada@example.org'
      assert.deepEqual((await ask(owner, fid, 'Ada@Example.org')).body, { sent: true })
      const before = await own(owner, fid)
      assert.deepEqual([before.address, before.pending], [null, address])
      await send()
      const [mail] = server.take(address)
      const token = tokenOf(mail!.links[0]!)
      assert.match(mail!.links[0]!, /^https:\/\/social\.example\/mail#confirm=/)
      // The store has the hash of the token alone.
      const [link] = await world.app.storage.of(mailAddressRows).linksOf(fid, 'confirm', 9)
      assert.ok(!JSON.stringify(link).includes(token))
      // The page names account and address before anything is confirmed, as often as it is opened.
      for (let opened = 0; opened < 2; opened++) {
        const { body } = await call('mail/link', { token })
        const names = { username: `!${fid}`, displayName: '' }
        assert.deepEqual(body, { purpose: 'confirm', address, fid, ...names })
      }
      assert.equal((await call('mail/link', { token: 'x'.repeat(43) })).status, 404)
      const confirmed = await call('mail/confirm', { token })
      assert.deepEqual(confirmed.body, { fid, address, changesAt: null })
      assert.equal((await call('mail/confirm', { token })).status, 404)
      assert.equal((await call('mail/link', { token })).status, 404)
      assert.equal((await own(owner, fid)).address, address)

      await ask(owner, fid, 'late@example.org')
      await send()
      const late = tokenOf(server.take('late@example.org')[0]!.links[0]!)
      world.clock.advance(LINK_LIFETIME_MS)
      assert.equal((await call('mail/confirm', { token: late })).status, 404)
      assert.deepEqual((await own(owner, fid)).pending, null)
    })

    /** The token of the link in the newest mail to this address about this. */
    const linkIn = async (address: string, subject: RegExp): Promise<string> => {
      await send()
      const mail = server.take(address).findLast((one) => subject.test(one.subject))
      assert.ok(mail, `a mail to ${address} about ${subject}`)
      return tokenOf(mail.links[0]!)
    }
    const ABOUT_TO_CHANGE = /is about to change/
    const USED_NO_MORE = /does not use this address any more/
    const makeChanges = () => world.app.jobs.run('change mail addresses')
    test('another address waits, and the present one gets every mail until then, and is told', async () => {
      const owner = key('12')
      const fid = await register(owner)
      const [old, next] = ['old@example.org', 'new@example.org']
      await ask(owner, fid, old)
      await call('mail/confirm', { token: await linkIn(old, /Confirm/) })
      await ask(owner, fid, next)
      const { body } = await call('mail/confirm', { token: await linkIn(next, /Confirm/) })
      const at = Math.floor((world.clock.now() + CHANGE_WAIT_MS) / 1_000)
      assert.equal(body.changesAt, at)
      const shown = await own(owner, fid)
      assert.deepEqual([shown.address, shown.change], [old, { address: next, at }])
      const token = await linkIn(old, ABOUT_TO_CHANGE)
      const { purpose, address } = (await call('mail/link', { token })).body
      assert.deepEqual([purpose, address], ['change', old])
      // A way back still goes to the present address, and to it alone.
      await call('mail/recover', { fid, address: next })
      await call('mail/recover', { fid, address: old })
      await send()
      assert.deepEqual([server.take(next).length, server.take(old).length], [0, 1])
      world.clock.advance(CHANGE_WAIT_MS - 1)
      await makeChanges()
      assert.equal((await own(owner, fid)).address, old)
      world.clock.advance(1)
      await makeChanges()
      await send()
      assert.match(server.take(old)[0]!.subject, USED_NO_MORE)
      const changed = await own(owner, fid)
      assert.deepEqual([changed.address, changed.change], [next, null])
      assert.equal((await call('mail/change', { token, how: 'stop' })).status, 404)
    })

    test('the present address stops a change or makes it at once, with a link that counts once and needs no account', async () => {
      const owner = key('2a')
      const [first, second] = ['first@example.org', 'second@example.org']
      const fid = await confirmed(owner, first)
      await ask(owner, fid, second)
      await call('mail/confirm', { token: await linkIn(second, /Confirm/) })
      const stop = await linkIn(first, ABOUT_TO_CHANGE)
      // A link of one kind opens nothing of another.
      assert.equal((await call('mail/confirm', { token: stop })).status, 404)
      assert.equal((await call('mail/change', { token: stop, how: 'stop' })).status, 200)
      assert.equal((await call('mail/change', { token: stop, how: 'now' })).status, 404)
      world.clock.advance(CHANGE_WAIT_MS)
      await makeChanges()
      assert.equal((await own(owner, fid)).address, first)

      await call('mail/remove', await signed(owner, fid, 'remove mail address'))
      assert.deepEqual((await own(owner, fid)).change.address, null)
      const now = await linkIn(first, ABOUT_TO_CHANGE)
      assert.equal((await call('mail/change', { token: now, how: 'now' })).status, 200)
      const gone = await own(owner, fid)
      assert.deepEqual([gone.address, gone.change], [null, null])
      await send()
      assert.match(server.take(first)[0]!.subject, USED_NO_MORE)
    })

    test('the owner keeps the present address, and removals beyond the bound are refused and not told', async () => {
      const [owner, other] = [key('2b'), key('2c')]
      const address = 'kept@example.org'
      const fid = await confirmed(owner, address)
      const foreign = await signed(other, fid, 'keep mail address')
      assert.equal((await call('mail/keep', foreign)).body.code, 'InvalidSignature')
      const answers = []
      for (let i = 0; i <= LINK_BOUNDS.removals; i++) {
        const removal = await signed(owner, fid, 'remove mail address')
        answers.push((await call('mail/remove', removal)).status)
        world.clock.advance(2_000)
        await call('mail/keep', await signed(owner, fid, 'keep mail address'))
        world.clock.advance(2_000)
      }
      assert.deepEqual(answers, [...Array(LINK_BOUNDS.removals).fill(200), 429])
      const shown = await own(owner, fid)
      assert.deepEqual([shown.address, shown.change], [address, null])
      await send()
      assert.equal(server.take(address).length, LINK_BOUNDS.removals)
    })

    test('who has stolen a key does not keep the owner from the present address with a far deadline, nor an address from its owner', async () => {
      const [owner, stranger] = [key('34'), key('35')]
      const address = 'still@example.org'
      const fid = await confirmed(owner, address)
      const far = await signed(owner, fid, 'remove mail address', now() + 80_000)
      assert.equal((await call('mail/remove', far)).status, 200)
      const keeping = await call('mail/keep', await signed(owner, fid, 'keep mail address'))
      assert.equal(keeping.status, 200, JSON.stringify(keeping.body))
      assert.equal((await own(owner, fid)).change, null)
      const other = await register(stranger)
      const wanted = 'wanted@example.org'
      for (let i = 0; i <= LINK_BOUNDS.address; i++) {
        const { status } = await ask(stranger, other, wanted)
        assert.equal(status, i < LINK_BOUNDS.address ? 200 : 429)
      }
      world.clock.advance(80_000_000)
      assert.equal((await ask(owner, fid, wanted)).status, 200)
      await send()
      server.got.length = 0
    })

    test('an address that took the place of the one that a move came by does not go with the account, and is told how to stop it', async () => {
      const [owner, thief] = [key('36'), key('37')]
      const [lost, fresh] = ['overheard@example.org', 'fresh@example.org']
      const fid = await confirmed(owner, lost)
      await call('mail/recover', { fid, address: lost })
      const begun = await recovery(fid, thief, await linkIn(lost, /Get your account back/))
      assert.equal(begun.status, 200)
      world.clock.advance(2_000)
      await ask(owner, fid, fresh)
      await call('mail/confirm', { token: await linkIn(fresh, /Confirm/) })
      const change = await linkIn(lost, ABOUT_TO_CHANGE)
      assert.equal((await call('mail/change', { token: change, how: 'now' })).status, 200)
      await send()
      const [told] = server.take(fresh)
      assert.match(told!.subject, /Somebody has asked for your account/)
      assert.match(told!.links[0]!, /^https:\/\/social\.example\/mail#stop=/)
      world.clock.advance(WAIT_DAYS * DAY_MS)
      await world.app.jobs.run('recover accounts')
      assert.equal(await ownerOf(thief), fid)
      assert.equal((await own(thief, fid)).address, null)
      await send()
      server.got.length = 0
    })

    test('nobody reads, keeps or removes an address that an earlier owner has left', async () => {
      const owner = key('38')
      const fid = await confirmed(owner, 'earlier@example.org')
      await call('mail/remove', await signed(owner, fid, 'remove mail address'))
      const stale = new Uint8Array(20).fill(9)
      await world.app.storage.write('all/mails', (tx) => tx.of(mailAddressRows).moveTo(fid, stale))
      const shown = await own(owner, fid)
      assert.deepEqual([shown.address, shown.change, shown.choices], [null, null, null])
      await send()
      server.got.length = 0
      world.clock.advance(2_000)
      assert.equal((await ask(owner, fid, 'later@example.org')).status, 200)
      const token = await linkIn('later@example.org', /Confirm/)
      const answer = await call('mail/confirm', { token })
      assert.deepEqual(answer.body, { fid, address: 'later@example.org', changesAt: null })
      await send()
      assert.deepEqual(server.take('earlier@example.org'), [])
    })

    test('a change that waits ends when the account belongs to another key', async () => {
      const [owner, thief, receiver] = [key('2d'), key('2e'), key('2f')]
      const address = 'before@example.org'
      const fid = await confirmed(owner, address)
      await call('mail/recover', { fid, address })
      const link = await linkIn(address, /Get your account back/)
      assert.equal((await recovery(fid, receiver, link)).status, 200)
      await ask(owner, fid, 'after@example.org')
      await call('mail/confirm', { token: await linkIn('after@example.org', /Confirm/) })
      world.clock.advance(WAIT_DAYS * DAY_MS)
      await world.app.jobs.run('recover accounts')
      await makeChanges()
      const shown = await own(receiver, fid)
      assert.deepEqual([shown.address, shown.change], [address, null])
      assert.equal(
        (await call('mail/own', await signed(thief, fid, 'read mail address'))).status,
        400,
      )
      await send()
      server.got.length = 0
    })

    test('who gets a mail about an address that a stranger entered ends that for a time, without an account, and can undo it', async () => {
      const [owner, stranger] = [key('31'), key('32')]
      const [fid, second] = [await register(owner), await register(stranger)]
      const address = 'annoyed@example.org'
      await ask(stranger, second, address)
      await send()
      const [mail] = server.take(address)
      const [confirmLink, notMe] = [mail!.links[0]!, mail!.links[1]!]
      assert.match(notMe, /^https:\/\/social\.example\/mail#not-me=/)
      const token = tokenOf(notMe)
      // The link tells nothing of the account.
      assert.equal((await call('mail/link', { token })).status, 404)
      assert.doesNotMatch(notMe, RegExp(`\\b${second}\\b|annoyed`))
      const forged = token.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))
      assert.equal((await call('mail/not-me', { token: forged, isRefused: true })).status, 404)
      for (let once = 0; once < 2; once++) {
        const { status, body } = await call('mail/not-me', { token, isRefused: true })
        assert.deepEqual([status, body], [200, { success: true }])
      }
      // The link that was on its way counts no more, and who asks is answered as before.
      assert.equal((await call('mail/confirm', { token: tokenOf(confirmLink) })).status, 404)
      assert.deepEqual((await ask(owner, fid, 'annoyed+more@example.org')).body, { sent: true })
      await send()
      assert.deepEqual(server.got, [])
      await call('mail/not-me', { token, isRefused: false })
      await ask(owner, fid, address)
      await send()
      assert.equal(server.take(address).length, 1)

      // What is stored does not tell the address, and is forgotten when its time is over; the link refuses for less long, and allows
      // again for as long as the refusal may last.
      world.clock.advance(REFUSAL_LINK_MS - 60_000)
      await call('mail/not-me', { token, isRefused: true })
      world.clock.advance(60_000)
      assert.equal((await call('mail/not-me', { token, isRefused: true })).status, 404)
      await ask(owner, fid, address)
      await send()
      assert.deepEqual(server.got, [])
      world.clock.advance(REFUSED_MS - 120_000)
      assert.equal((await call('mail/not-me', { token, isRefused: false })).status, 200)
      await ask(owner, fid, address)
      await send()
      assert.equal(server.take(address).length, 1)
      world.clock.advance(DAY_MS)
      assert.equal((await call('mail/not-me', { token, isRefused: false })).status, 404)
      await send()
      await ask(owner, fid, address)
      await send()
      assert.equal(server.take(address).length, 1)
    })

    test('nobody but the custody key names or reads an address, and an address in use is told, not answered', async () => {
      const [owner, other] = [key('13'), key('14')]
      const fid = await confirmed(owner, 'mine@example.org')
      const second = await register(other)
      const forged = await signed(other, fid, 'read mail address')
      assert.equal((await call('mail/own', forged)).body.code, 'InvalidSignature')
      const { signature } = await signed(other, fid, 'add mail address a@example.org')
      const deadline = now() + 600
      const foreign = { fid, deadline, signature, address: 'a@example.org' }
      assert.equal((await call('mail/address', foreign)).body.code, 'InvalidSignature')
      assert.deepEqual((await ask(other, second, 'mine@example.org')).body, { sent: true })
      assert.deepEqual((await own(other, second)).pending, 'mine@example.org')
      await send()
      const [told] = server.take('mine@example.org')
      assert.match(told!.subject, /Somebody has entered your e-mail address/)
      assert.doesNotMatch(told!.text, /#confirm/)
      const bad = await ask(other, second, 'a@example.org\r\nBcc: b@example.org')
      assert.deepEqual([bad.status, bad.body.field], [400, 'address'])
    })

    test('strangers cannot have mails sent again and again', async () => {
      const owner = key('15')
      const fid = await confirmed(owner, 'calm@example.org')
      for (let i = 0; i < 9; i++) {
        const { status, body } = await call('mail/recover', { fid, address: 'calm@example.org' })
        assert.deepEqual([status, body], [200, { sent: true }])
      }
      await send()
      assert.equal(server.take('calm@example.org').length, LINK_BOUNDS.address)
      const answers = []
      for (let i = 0; i <= LINK_BOUNDS.network; i++) {
        const guess = { fid: 900 + i, address: `guess${i}@example.org` }
        answers.push((await call('mail/recover', guess, '192.0.2.7')).status)
      }
      assert.deepEqual(answers, [...Array(LINK_BOUNDS.network).fill(200), 429])
      await send()
      assert.deepEqual(server.got, [])
    })

    test('strangers use up nothing of who asks for the own account', async () => {
      const owner = key('1f')
      const address = 'locked@example.org'
      const fid = await confirmed(owner, address)
      for (let i = 0; i < LINK_BOUNDS.account; i++) {
        await call('mail/recover', { fid, address: `wrong${i}@example.org` })
        await call('mail/recover', { fid: fid + 100 + i, address })
      }
      await call('mail/recover', { fid, address })
      await send()
      assert.match(server.take(address)[0]!.subject, /Get your account back/)
      for (let i = 0; i < LINK_BOUNDS.address; i++) await call('mail/recover', { fid, address })
      assert.equal((await ask(owner, fid, 'unlocked@example.org')).status, 200)
      await send()
      server.got.length = 0
    })

    test('who has lost every key begins the recovery by mail, and has the account after the waiting time without the operator', async () => {
      const [owner, receiver] = [key('16'), key('17')]
      const address = 'lost@example.org'
      const fid = await confirmed(owner, address)
      assert.deepEqual((await call('mail/recover', { fid, address })).body, { sent: true })
      assert.deepEqual((await call('mail/recover', { fid, address: 'x@example.org' })).body, {
        sent: true,
      })
      await send()
      const [way] = server.take(address)
      assert.match(way!.links[0]!, RegExp(`/join/recover#fid=${fid}&mail=`))
      const link = tokenOf(way!.links[0]!)
      // The page looks at the link before it makes new words.
      const looked = (await call('mail/link', { token: link })).body
      assert.deepEqual([looked.purpose, looked.fid, looked.address], ['recover', fid, address])
      assert.equal((await recovery(fid, receiver, 'x'.repeat(43))).status, 404)
      const begun = await recovery(fid, receiver, link)
      assert.equal(begun.body.movesAt, now() + WAIT_DAYS * 86_400, JSON.stringify(begun.body))
      // The link counts once.
      assert.equal((await recovery(fid, key('18'), link)).status, 404)
      assert.equal((await call('mail/link', { token: link })).status, 404)
      await send()
      const [told] = server.take(address)
      assert.match(told!.subject, /Somebody has asked for your account/)
      const stop = { token: tokenOf(told!.links[0]!) }
      const { movesAt } = begun.body
      assert.deepEqual((await call('recovery/link', stop)).body, { fid, movesAt, state: 'waiting' })
      world.clock.advance(WAIT_DAYS * DAY_MS - 2_000)
      await world.app.jobs.run('recover accounts')
      assert.equal(await ownerOf(owner), fid)
      world.clock.advance(2_000)
      await world.app.jobs.run('recover accounts')
      assert.equal(await ownerOf(receiver), fid)
      // Who opens the link that stops it too late is told so.
      assert.equal((await call('recovery/link', stop)).body.state, 'moved')
      assert.equal((await call('recovery/stop', stop)).status, 404)
      await send()
      const [back] = server.take(address)
      assert.equal(back!.subject, 'You have your account back')
      assert.match(back!.links[0]!, /\/join\/sign-in\?recovered$/)
      // The address has come back with the account.
      assert.equal((await own(receiver, fid)).address, address)
      // A thief may have given it on: the owner is not told that it was stopped.
      const deadline = BigInt(now() + 3_600)
      const terms = { fid, deadline, domains: domains(), fromNonce: 1 }
      const move = await signTransfer(receiver, key('fb'), terms)
      assert.equal((await call('transferFor', move)).status, 200)
      assert.equal((await call('recovery/link', stop)).body.state, 'moved')
    })

    test('the owner stops a recovery with the link of the mail, without signing in', async () => {
      const [owner, thief] = [key('19'), key('1a')]
      const address = 'stop@example.org'
      const fid = await confirmed(owner, address)
      await call('mail/recover', { fid, address })
      await send()
      await recovery(fid, thief, tokenOf(server.take(address)[0]!.links[0]!))
      await send()
      const link = server.take(address)[0]!.links[0]!
      assert.match(link, /^https:\/\/social\.example\/mail#stop=/)
      const token = tokenOf(link)
      const forged = token.replace(/\d+\./, `${fid + 1}.`)
      assert.equal((await call('recovery/stop', { token: forged })).status, 404)
      assert.equal((await call('recovery/link', { token: forged })).status, 404)
      assert.equal((await call('recovery/stop', { token })).status, 200)
      assert.equal((await call('recovery/stop', { token })).status, 404)
      assert.equal((await call('recovery/link', { token })).body.state, 'ended')
      world.clock.advance(WAIT_DAYS * DAY_MS)
      await world.app.jobs.run('recover accounts')
      assert.equal(await ownerOf(owner), fid)
    })

    test('one move at a time begins by mail, and stopping one stops all of the account', async () => {
      const [owner, thief, friend] = [key('20'), key('21'), key('22')]
      const address = 'many@example.org'
      const fid = await confirmed(owner, address)
      const link = async () => {
        await call('mail/recover', { fid, address })
        await send()
        const mails = server.take(address)
        return tokenOf(mails.find(({ subject }) => /Get your account/.test(subject))!.links[0]!)
      }
      assert.equal((await recovery(fid, thief, await link())).status, 200)
      const second = await recovery(fid, friend, await link())
      assert.deepEqual([second.status, second.body.code], [400, 'bad_request.conflict'])
      const asked = await recovery(fid, friend)
      const decision = { fid, askedAt: asked.body.askedAt, reason: 'known' }
      await world.operate(`/app/recoveries/${friend.address}/start`, { body: decision })
      await send()
      const [stop] = server.take(address)
      assert.equal((await call('recovery/stop', { token: tokenOf(stop!.links[0]!) })).status, 200)
      assert.equal((await call(`recovery?fid=${fid}`)).body.movesAt ?? null, null)
      world.clock.advance(WAIT_DAYS * DAY_MS)
      await world.app.jobs.run('recover accounts')
      assert.equal(await ownerOf(owner), fid)
    })

    test('an address does not stay with an account that was given to somebody else', async () => {
      const [owner, buyer] = [key('1b'), key('1c')]
      const address = 'seller@example.org'
      const fid = await confirmed(owner, address)
      const asked = await recovery(fid, buyer)
      const decision = { fid, askedAt: asked.body.askedAt, reason: 'known' }
      await world.operate(`/app/recoveries/${buyer.address}/start`, { body: decision })
      await send()
      world.clock.advance(WAIT_DAYS * DAY_MS)
      await world.app.jobs.run('recover accounts')
      assert.equal(await ownerOf(buyer), fid)
      await send()
      assert.equal(server.take(address).length, 2)
      assert.equal((await own(buyer, fid)).address, null)
    })

    test('after a removal nothing that waited is sent, and the removal sent again removes no later address', async () => {
      const owner = key('23')
      const address = 'left@example.org'
      const fid = await confirmed(owner, address)
      const removal = await signed(owner, fid, 'remove mail address')
      assert.equal((await call('mail/remove', removal)).status, 200)
      const now = await linkIn(address, ABOUT_TO_CHANGE)
      const content = () => written({ subject: 'private', paragraphs: [] })
      await world.app.storage.write('all/mails', (tx) =>
        world.app.of(MAILS).tell(tx, { fid, content }, world.clock.now()),
      )
      assert.equal((await call('mail/change', { token: now, how: 'now' })).status, 200)
      await send()
      const subjects = server.take(address).map(({ subject }) => subject)
      assert.deepEqual(subjects, ['Your account does not use this address any more'])
      world.clock.advance(1_000)
      await ask(owner, fid, 'next@example.org')
      await call('mail/confirm', { token: await linkIn('next@example.org', /Confirm/) })
      assert.equal((await call('mail/remove', removal)).body.code, 'changed_meanwhile')
      const shown = await own(owner, fid)
      assert.deepEqual([shown.address, shown.change], ['next@example.org', null])
    })

    test('links that were not used are forgotten, with the address, though nothing is sent', async () => {
      const owner = key('24')
      const fid = await register(owner)
      await ask(owner, fid, 'foreign@example.org')
      await send()
      server.got.length = 0
      world.clock.advance(LINK_LIFETIME_MS)
      await send()
      assert.deepEqual(await world.app.storage.of(mailAddressRows).linksOf(fid, 'confirm', 9), [])
    })

    test('who has not named the recovery service is sent no way back that leads nowhere', async () => {
      const address = 'unnamed@example.org'
      const fid = await confirmed(key('25'), address, false)
      assert.deepEqual((await call('mail/recover', { fid, address })).body, { sent: true })
      await send()
      assert.deepEqual(server.got, [])
    })

    test('addresses with + of one mailbox count as one', async () => {
      const owner = key('26')
      const fid = await register(owner)
      for (let i = 0; i < LINK_BOUNDS.address; i++)
        assert.equal((await ask(owner, fid, `box+${i}@example.org`)).status, 200)
      assert.equal((await ask(owner, fid, 'box@example.org')).status, 429)
      await send()
      server.got.length = 0
    })

    test('a suspended account sends mail to nobody', async () => {
      const owner = key('27')
      const fid = await register(owner)
      await world.operate(`/moderation/accounts/${fid}/suspend`, { body: { reason: 'spam' } })
      const refused = await ask(owner, fid, 'stranger@example.org')
      assert.deepEqual([refused.status, refused.body.code], [403, 'unauthorized.suspended'])
    })

    test('an address that its owner does not hold any more is told nothing', async () => {
      const owner = key('28')
      const address = 'stale@example.org'
      const fid = await confirmed(owner, address)
      await world.app.storage.write('all/mails', async (tx) => {
        await tx.of(mailAddressRows).moveTo(fid, new Uint8Array(20))
        const content = () => written({ subject: 'x', paragraphs: [] })
        await world.app.of(MAILS).tell(tx, { fid, content }, world.clock.now())
      })
      await send()
      assert.deepEqual(server.got, [])
    })

    test('nothing of an address is left after an erasure', async () => {
      const owner = key('1e')
      const address = 'gone@example.org'
      const fid = await confirmed(owner, address)
      await call('mail/recover', { fid, address })
      assert.equal(await world.app.storage.of(mailRows).waitingOf(fid, 'link'), 1)
      await call('mail/remove', await signed(owner, fid, 'remove mail address'))
      await world.operate(`/moderation/accounts/${fid}/erase`, { body: { reason: 'asked' } })
      await world.app.jobs.runAll()
      const rows = world.app.storage.of(mailAddressRows)
      assert.equal(await rows.find(fid), undefined)
      for (const purpose of LINK_PURPOSES) assert.deepEqual(await rows.linksOf(fid, purpose, 9), [])
      assert.equal(await rows.change(fid), undefined)
      for (const kind of MAIL_KINDS)
        assert.equal(await world.app.storage.of(mailRows).waitingOf(fid, kind), 0)
    })

    test('links, a change of the address and a move are told in the language of the account, in German and in Arabic', async () => {
      for (const [i, code] of ['de', 'ar'].entries()) {
        const say = sayingIn(code)
        const owner = key(`4${i}`)
        const [address, next] = [`${code}@example.org`, `${code}-next@example.org`]
        const fid = await register(owner)
        const account = `#${fid}`
        await world.app.storage.write(`fid/${fid}`, (tx) =>
          tx.of(accountLanguageRows).put({ fid, language: code, is_chosen: 1, changed_at: 0 }),
        )
        const takeOne = async (to: string) => {
          await send()
          const [mail, ...more] = server.take(to)
          assert.deepEqual(more, [])
          return mail!
        }
        await ask(owner, fid, address)
        const confirm = await takeOne(address)
        assertSaid(confirm, say, [
          say('Confirm your e-mail address'),
          say(
            'Somebody wants to use this address for the account {account}. If that is you, press the button within an hour.',
            { account },
          ),
          say('Confirm the address'),
          say('This was not me: send no more of these'),
          say('Somebody has entered this address there. If that was not you, do nothing.'),
        ])
        await call('mail/confirm', { token: tokenOf(confirm.links[0]!) })
        const stranger = key(`4${i + 2}`)
        await ask(stranger, await register(stranger), address)
        assertSaid(await takeOne(address), say, [
          say('Somebody has entered your e-mail address'),
          say(
            'Somebody wants to use this address for another account. It belongs to your account already, so nothing has changed. To use it for another account, remove it from this one first.',
          ),
        ])
        await ask(owner, fid, next)
        const other = await takeOne(next)
        await call('mail/confirm', { token: tokenOf(other.links[0]!) })
        const change = await takeOne(address)
        assertSaid(change, say, [
          say('The e-mail address of your account is about to change'),
          say(
            'The key of the account {account} has asked for another e-mail address in place of this one. It changes in {days, plural, one {# day} other {# days}}; until then mails come here.',
            { account, days: CHANGE_WAIT_MS / DAY_MS },
          ),
          say('Stop it, or change it now'),
        ])
        await call('mail/change', { token: tokenOf(change.links[0]!), how: 'now' })
        assertSaid(await takeOne(address), say, [
          say('Your account does not use this address any more'),
        ])
        await call('mail/recover', { fid, address: next })
        const way = await takeOne(next)
        assertSaid(way, say, [say('Get your account back'), say('Get my account back')])
        const { body } = await recovery(fid, key(`4${i + 4}`), tokenOf(way.links[0]!))
        const day = new Intl.DateTimeFormat(code, { dateStyle: 'long', timeZone: 'UTC' }).format(
          body.movesAt * 1_000,
        )
        assertSaid(await takeOne(next), say, [
          say('Somebody has asked for your account'),
          say('They get it on {day}. If that is you, do nothing.', { day }),
          say('Stop it'),
          say('You get this because an account there has this address.'),
        ])
      }
    })
  })
}
