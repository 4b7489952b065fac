import{r as e}from"./rolldown-runtime-XKyaHtl9.js";import{gr as t,pr as n}from"./first-Uol_ioTv.js";import{T as r}from"./common-NrtUZeCf.js";/* empty css                */var i=e(t(),1),a=n(),o=(e,t)=>`Recovery kit of @${t} at ${location.host}
Made on ${new Date().toISOString().slice(0,10)}

${e.split(` `).map((e,t)=>`${String(t+1).padStart(2)}. ${e}`).join(`
`)}

Whoever has these 12 words has the account. Keep them offline, and show them to nobody:
no helper, operator or app ever needs them.

To get back in: open ${location.origin}/join/sign-in and choose "12 words".
They also work in any Ethereum wallet (path m/44'/60'/0'/0/0).
`;function s({words:e,name:t,onSaved:n}){let[s,c]=(0,i.useState)(!1),l=()=>{c(!0),n?.()};return(0,a.jsxs)(`div`,{className:`kit`,children:[(0,a.jsx)(`ol`,{className:`words`,children:e.split(` `).map((e,t)=>(0,a.jsx)(`li`,{children:e},t))}),(0,a.jsx)(r,{tone:`warn`,children:`Whoever has these words has your account. Nobody here will ever ask you for them.`}),(0,a.jsxs)(`p`,{className:`buttons`,children:[(0,a.jsx)(`button`,{type:`button`,className:`primary`,onClick:()=>{let n=URL.createObjectURL(new Blob([o(e,t)],{type:`text/plain`}));Object.assign(document.createElement(`a`),{href:n,download:`recovery-kit-${t}.txt`}).click(),setTimeout(()=>URL.revokeObjectURL(n),1e4),l()},children:`Download recovery kit`}),(0,a.jsx)(`button`,{type:`button`,className:`secondary`,onClick:l,children:`I have written them down`})]}),s&&(0,a.jsx)(r,{tone:`good`,children:`Saved. Keep it in a safe place, not only on this device.`})]})}export{s as t};