import type { Sql } from '../../../kernel/storage/engines/sql.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { NOT_EXPORTED } from '../../../kernel/storage/tables/duties.ts'
import { type RowOf, table } from '../../../kernel/storage/tables/table.ts'
import { MAX_LISTED, MAX_LISTS, MAX_NAME_CHARACTERS, MAX_TAGS } from '../limits.ts'

/** Tags that a member follows. */
export const FOLLOWED_TAGS = table('followed_tag', {
  fid: { type: 'fid', erasure: 'delete', exported: true, key: true },
  /** By which the search finds it, whatever its case. */
  folded: { type: 'line', words: true, key: true },
  /** As the member wrote it, without its sign. */
  tag: { type: 'line', words: true },
  followed_at: { type: 'millis' },
})
export type FollowedTag = RowOf<typeof FOLLOWED_TAGS>

/** Lists of people that a member keeps. */
export const PEOPLE_LISTS = table('people_list', {
  fid: { type: 'fid', erasure: 'delete', exported: true, key: true },
  id: { type: 'line', words: false, key: true },
  name: {
    type: 'line',
    words: true,
    json: 'name',
    min: 1,
    max: MAX_NAME_CHARACTERS,
    accept: ['create'],
  },
  made_at: { type: 'millis' },
})
export type PeopleList = RowOf<typeof PEOPLE_LISTS>

export const PEOPLE_LIST_MEMBERS = table('people_list_member', {
  fid: { type: 'fid', erasure: 'delete', exported: true, key: true },
  list_id: { type: 'line', words: false, key: true },
  member_fid: { type: 'fid', erasure: 'delete', exported: NOT_EXPORTED.others, key: true },
  added_at: { type: 'millis' },
})
export type PeopleListMember = RowOf<typeof PEOPLE_LIST_MEMBERS>

export const listReader = (sql: Sql) => ({
  /** The tags of a member, in the order in which they were followed. */
  tags: (fid: number) =>
    FOLLOWED_TAGS.select(sql, 'where fid = ? order by followed_at, folded limit (? + 0)', [
      fid,
      MAX_TAGS,
    ]),
  tagCount: (fid: number) => FOLLOWED_TAGS.count(sql, 'where fid = ?', [fid]),
  /** The lists of a member, the oldest first. */
  lists: (fid: number) =>
    PEOPLE_LISTS.select(sql, 'where fid = ? order by made_at, id limit (? + 0)', [fid, MAX_LISTS]),
  list: (fid: number, id: string) => PEOPLE_LISTS.find(sql, fid, id),
  listCount: (fid: number) => PEOPLE_LISTS.count(sql, 'where fid = ?', [fid]),
  /** Who is on a list, the newest first. */
  members: (fid: number, listId: string) =>
    PEOPLE_LIST_MEMBERS.select(
      sql,
      'where fid = ? and list_id = ? order by added_at desc, member_fid limit (? + 0)',
      [fid, listId, MAX_LISTED],
    ),
  /** Everybody on the lists of a member. */
  allMembers: (fid: number) =>
    PEOPLE_LIST_MEMBERS.select(sql, 'where fid = ? limit (? + 0)', [fid, MAX_LISTS * MAX_LISTED]),
  memberCount: (fid: number, listId: string) =>
    PEOPLE_LIST_MEMBERS.count(sql, 'where fid = ? and list_id = ?', [fid, listId]),
})

export const listWriter = (sql: Sql) => ({
  ...listReader(sql),
  /** One that is followed already stays as it is. */
  addTag: (tag: FollowedTag) => FOLLOWED_TAGS.insertNew(sql, [tag]),
  removeTag: (fid: number, folded: string) => FOLLOWED_TAGS.remove(sql, [{ fid, folded }]),
  putList: (list: PeopleList) => PEOPLE_LISTS.upsert(sql, [list]),
  async removeList(fid: number, id: string): Promise<void> {
    await PEOPLE_LIST_MEMBERS.removeWhere(sql, 'fid = ? and list_id = ?', [fid, id])
    await PEOPLE_LISTS.remove(sql, [{ fid, id }])
  },
  /** One who is on the list already stays where they are. */
  addMember: (member: PeopleListMember) => PEOPLE_LIST_MEMBERS.insertNew(sql, [member]),
  removeMember: (fid: number, list_id: string, member_fid: number) =>
    PEOPLE_LIST_MEMBERS.remove(sql, [{ fid, list_id, member_fid }]),
})

/** `storage.of(listRows)` reads these tables, and `tx.of(listRows)` writes them. */
export const listRows = rowsOf(listReader, ({ sql }) => listWriter(sql))
