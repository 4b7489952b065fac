import { feature } from '../../kernel/feature.ts'
import { SQL_VIEW_MIGRATION } from './migrations/061-sql-views.ts'

/** Tables for analysts: files, another database, and views for SQL. */
export const exports = feature({
  name: 'exports',
  needs: ['mirror'],
  migrations: [{ id: 61, what: 'views for SQL', statements: SQL_VIEW_MIGRATION }],
})
