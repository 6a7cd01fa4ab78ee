-- Neovim for the README's picture: findings behind their lines, and what a value is.
vim.opt.number = true
vim.opt.signcolumn = "yes"
vim.opt.laststatus = 0
vim.opt.ruler = false
vim.opt.showmode = false
vim.opt.termguicolors = false
vim.cmd("syntax on | colorscheme slate")
vim.cmd("highlight Normal ctermbg=NONE | highlight SignColumn ctermbg=NONE | highlight LineNr ctermfg=240 | highlight NormalFloat ctermbg=237 ctermfg=252")
vim.cmd("highlight DiagnosticError ctermfg=203 | highlight DiagnosticUnderlineError cterm=underline | highlight FloatBorder ctermbg=237 ctermfg=245")
vim.diagnostic.config({ virtual_text = { prefix = "■", format = function(d) return d.code .. " " .. d.message:match("^[^:]*") end } })
vim.lsp.handlers["textDocument/hover"] = vim.lsp.with(vim.lsp.handlers.hover, { border = "rounded" })
vim.api.nvim_create_autocmd("FileType", {
  pattern = "python",
  callback = function(a)
    local id = vim.lsp.start_client({ name = "rlvet", cmd = { vim.env.RLVET, "server" }, root_dir = vim.fn.getcwd() })
    vim.lsp.buf_attach_client(a.buf, id)
  end,
})
vim.keymap.set("n", "K", vim.lsp.buf.hover)
