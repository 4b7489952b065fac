import{r as e}from"./rolldown-runtime-XKyaHtl9.js";import{Ln as t,Pn as n}from"./common-DCN16MGt.js";import{a as r,s as i}from"./index-CvKRb2Sl.js";var a=e(t(),1),o=n(),s=(e,t)=>`Recovery kit of @${t} at ${location.host}
Made on ${new Date().toISOString().slice(0,10)}

${e.split(` `).map((e,t)=>`${String(t+1).padStart(2)}. ${e}`).join(`
`)}

Whoever has these 12 words has the account. Keep them offline, and show them to nobody:
no helper, operator or app ever needs them.

To get back in: open ${location.origin}/join/sign-in and choose "12 words".
They also work in any Ethereum wallet (path m/44'/60'/0'/0/0).
`;function c({words:e,name:t,onSaved:n}){let[c,l]=(0,a.useState)(!1),u=()=>{l(!0),r(void 0),n?.()};return(0,o.jsxs)(`div`,{className:`kit`,children:[(0,o.jsx)(`ol`,{className:`words`,children:e.split(` `).map((e,t)=>(0,o.jsx)(`li`,{children:e},t))}),(0,o.jsx)(i,{tone:`warn`,children:`Whoever has these words has your account. Nobody here will ever ask you for them.`}),(0,o.jsxs)(`p`,{className:`buttons`,children:[(0,o.jsx)(`button`,{type:`button`,className:`primary`,onClick:()=>{let n=URL.createObjectURL(new Blob([s(e,t)],{type:`text/plain`}));Object.assign(document.createElement(`a`),{href:n,download:`recovery-kit-${t}.txt`}).click(),setTimeout(()=>URL.revokeObjectURL(n),1e4),u()},children:`Download recovery kit`}),(0,o.jsx)(`button`,{type:`button`,className:`secondary`,onClick:u,children:`I have written them down`})]}),c&&(0,o.jsx)(i,{tone:`good`,children:`Saved. Keep it in a safe place, not only on this device.`})]})}export{c as t};