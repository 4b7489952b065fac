// The usual theme with the fonts of the system: a page loads nothing that a reader has already.
export { default } from 'vitepress/theme-without-fonts'
