import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../../config.ts'
import { FIRST_NAMES } from '../../dev/accounts.ts'
import { reservedNames } from './reserved.ts'

const isReserved = reservedNames(['admin', 'rookery', 'www', 'modern-times'])

test('a reserved name is refused in all look-alike spellings', () => {
  const alike = ['admin', 'adm1n', 'admln', 'ad-min', 'adrnin', '4dmin', 'r00kery', 'rooker-y']
  for (const name of [...alike, 'www', 'vvww', 'moderntimes', 'modem-t1mes', 'rook3ry']) {
    assert.equal(isReserved(name), true, name)
  }
})

test('security finding 19: look-alike letters and reserved parts are refused', () => {
  const alike = [
    'aclmin',
    'ac1min',
    'adnnin',
    'rookerv',
    'rookery-support',
    'my-adm1n',
    'the-ad-min',
  ]
  for (const name of [...alike, 'admin-', 'x-modern-times']) {
    assert.equal(isReserved(name), true, name)
  }
  assert.equal(reservedNames(['moderator'])('moclerator'), true)
})

test('names that are not reserved are accepted', () => {
  for (const name of [
    'rook',
    'administer',
    'admi',
    'wwww',
    'a',
    '0',
    'mail',
    'dadmin',
    'ad-x-min',
    'times-modern',
  ]) {
    assert.equal(isReserved(name), false, name)
  }
})

test('an invalid name is not reported as reserved', () => {
  for (const name of ['Admin', 'ADMIN', 'admin ', '', '-admin', 'admin\n', 'аdmin']) {
    assert.equal(isReserved(name), false, name)
  }
})

const isReservedByDefault = reservedNames(readConfig({}, 'development').reservedNames)

test('names of those who may decide about members or their keys are reserved, and ordinary words near them are not', () => {
  const offices = ['recovery', 'operator', 'mod', 'mods', 'owner', 'support', 'admin', 'staff']
  const near = ['recoverv', 'rec0very', 'modteam', 'mod-team', 'mod1', 'owners', 'server-owner']
  for (const name of [...offices, ...near, 'rookery-recovery', 'account-service', 'custody']) {
    assert.equal(isReservedByDefault(name), true, name)
  }
  for (const name of [
    'modern',
    'mode',
    'model',
    'modesty',
    'cover',
    'opera',
    'downer',
    'discovery',
  ]) {
    assert.equal(isReservedByDefault(name), false, name)
  }
})

test('numbered, plural, misspelt and joined forms of a reserved name are reserved too', () => {
  const misleading = [
    ...['admins', 'moderators', 'systems', 'admin2', 'staff1', 'rookery0', 'rookery1', '1admin'],
    ...['root2024', 'support-24', 'rookry', 'rokery', 'rookerry', 'rookrey', 'rqokery', 'adminn'],
    ...['addmin', 'amdin', 'stafff', 'suppport', 'suport', 'officiall', 'offical', 'moderater'],
    ...['helpdesk', 'sysadmin', 'rookeryteam', 'teamrookery', 'rookeryadmins', 'theadmin1'],
    ...['rookery-suport', 'helpde5k', 'postmaster', 'webmasters', 'hostmaster'],
    ...['abuse', 'securitty', 'adminstaff', 'rookeryhq', 'help-desk', 'admins-2'],
  ]
  assert.deepEqual(
    misleading.filter((name) => !isReservedByDefault(name)),
    [],
  )
})

test('ordinary names and words stay free, as do the names of the development network', () => {
  const ordinary =
    'aaron abby abigail ada adam adele adina adman admire adrian aidan aisha alan alex alice amin amina amira anna annie anton ' +
    'arthur astrid audrey barbara ben bernard bjorn bob brook brooke bruno carla carlos carol cecilia chloe chris clara clint ' +
    'cornelia daisy daniel david diana dmitri edith eli elena emil emma erik esther eva fatima felix finn fiona flora frank ' +
    'george gina grace gustav hal hannah harriet heidi helen helga henry holly hope hubert hugh hugo ian ida igor ines ingrid ' +
    'irene isaac ivan ivy jack jade james jane jasmine jim joan john jonas josef julia karim karl kate kofi kurt lara laura ' +
    'leo lily linus lisa louis lucy luke maria mark martin mary max maya mei mia mohammed nadia nadine nancy nina noah nora ' +
    'olaf olga oliver omar oscar otto pablo paul peter phil pia quentin rachel rashid raul rebecca rob robin rocky rok rooney ' +
    'rosa rosie ruth sam sara sasha sigrid simon sofia stacy stan stefan stella steven sue sven tariq tessa theo ' +
    'thomas tim tina tom ursula vera victor wendy werner will xavier yara yusuf zoe ' +
    'actor administer admiral adventure apple artist author autumn badminton baker beach bird book bread bridge ' +
    'cookery crook crow dadmin designer dragon eagle farmer flames frames fan food forest garden gardener helper helping ' +
    'helpless helm hobby hubble hubcap hug jazz kitchen magpie mail market minister moderato moderate modern music names ' +
    'network news night ocean office officer officers orchid painter photo piano pilot poet radio raven reading river rock ' +
    'rockers rocket rook rookie rookies rooks roots rooster rot rotary route rover rowdy runner sailor scholar school secure ' +
    'secret singer sister social sport sports staffa stall star sting stuff summer supper supple supply sun sunrise sword ' +
    'syntax systemic teacher team teams themes the tower travel web weather webmap welp winter writer wwww'
  const names = ordinary.split(' ')
  assert.deepEqual([...names, ...FIRST_NAMES, 'bird-11'].filter(isReservedByDefault), [])
})
