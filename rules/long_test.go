package rules_test

import (
	"context"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/rlvet/rlvet/internal/engine"
	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/rules"
)

// long are programs that are nothing but long: one part after the other, each of which
// says again what the one before said. Whatever looks through all of a program for
// each of its parts takes quadratic time here.
var long = map[string]program{
	// Names and control flow.
	"names in a loop":            {before: "while c:\n", part: "    aNEW = aOLD\n"},
	"names in loops":             {before: "a0 = 1\n", part: "for i in range(3):\n    aNEW = aOLD + i\n"},
	"names in loops in loops":    {before: "a0 = 1\nfor k in ks:\n", part: "    for i in range(3):\n        aNEW = aOLD + i\n"},
	"names from the next round":  {before: "while c:\n", part: "    aOLD = aNEW\n"},
	"one name in a loop":         {before: "import torch\nx = torch.randn(2)\nwhile c:\n", part: "    x = x.exp() + NEW\n"},
	"branches":                   {before: "import torch\nx = torch.randn(2)\n", part: "if c: x = x.exp()\n"},
	"branches of new names":      {part: "if c: aNEW = 1\nelse: aNEW = f(aOLD)\n"},
	"elif":                       {before: "if c: x = 0\n", part: "elif c == NEW: x = NEW\n"},
	"elif of new names":          {before: "if c: x = 0\n", part: "elif c == NEW: xNEW = c\n"},
	"elif in a function":         {before: "def f(c, x):\n  if c: return 0\n", part: "  elif c == NEW: return x.exp() * NEW\n"},
	"conditional values":         {before: "import torch\nx = torch.randn(2)\ny = torch.ones(2)\n", part: "x = x.exp() if c else y\n"},
	"cases":                      {before: "match c:\n", part: "    case NEW: x = NEW\n"},
	"cases of sequences":         {before: "match c:\n", part: "    case [NEW, a, *b]: x = a\n"},
	"tries":                      {part: "try: aNEW = f(aOLD)\nexcept E: aNEW = 0\n"},
	"clauses of a try":           {before: "try: x = f()\n", part: "except ENEW: x = NEW\n"},
	"withs":                      {before: "import torch\nx = torch.randn(2)\n", part: "with torch.no_grad(): x = x + NEW\n"},
	"deletions":                  {part: "aNEW = 1\ndel aNEW\n"},
	"assertions":                 {before: "import torch\nx = torch.randn(2)\n", part: "assert x > NEW\n"},
	"globals":                    {before: "a = 0\n", part: "def fNEW():\n    global a\n    a = a + fOLD()\n"},
	"assignments in expressions": {part: "f(bNEW := NEW)\n"},
	"names of one tuple":         {before: "def f(x):\n  return (", part: "x, ", after: ")\na = f(1)\n"},
	"imports":                    {part: "import torch.nn as nNEW\nlNEW = nNEW.Linear(2, 2)\n"},
	"annotations":                {part: "aNEW: 'A[aOLD]' = None\n"},

	// Chains.
	"sums":                 {before: "import torch\na = torch.randn(2)\nx = a", part: " + a"},
	"sums of new values":   {before: "x = 0", part: " + f(NEW)"},
	"products":             {before: "import torch\na = torch.randn(2)\nx = a", part: " * a"},
	"products of calls":    {before: "import torch\na = torch.randn(2)\nx = a", part: " * a.exp()"},
	"quotients":            {before: "import torch\na = torch.randn(2)\nx = a", part: " / a"},
	"differences":          {before: "import torch\na = torch.randn(2)\nx = a", part: " - a"},
	"powers":               {before: "import torch\na = torch.randn(2)\nx = a", part: " ** a"},
	"matrix products":      {before: "import torch\na = torch.randn(2, 2)\nx = a", part: " @ a"},
	"bits":                 {before: "x = a", part: " | a"},
	"ands":                 {before: "x = a", part: " and a.b == NEW"},
	"ors":                  {before: "x = a", part: " or a == NEW"},
	"comparisons":          {before: "x = a", part: " < a"},
	"nots":                 {before: "x = ", part: "not ", after: "a"},
	"signs":                {before: "x = ", part: "-", after: "a"},
	"methods":              {before: "import torch\na = torch.randn(2)\nx = a", part: ".exp()"},
	"attributes":           {before: "x = a", part: ".b"},
	"items":                {before: "x = a", part: "[0]"},
	"calls":                {before: "x = a", part: "(1)"},
	"conditions":           {before: "x = ", part: "a if c else ", after: "b"},
	"strings":              {before: "x = (\n", part: "'abc NEW'\n", after: ")\n"},
	"fields of a string":   {before: "x = f'", part: "{a.b:{c}} ", after: "'\n"},
	"f-strings":            {part: "x = f'{aNEW} {b(NEW)!r:>{c}}'\n"},
	"steps of sums":        {before: "import torch\nx = torch.randn(2)\n", part: "x = x + x.exp()\n"},
	"steps of products":    {before: "import torch\nx = torch.randn(2)\na = torch.randn(2)\n", part: "x = x * a\n"},
	"named steps":          {before: "import torch\nx0 = torch.randn(2)\n", part: "xNEW = xOLD * xOLD.exp()\n"},
	"doubling steps":       {before: "import torch\nx0 = torch.randn(2)\n", part: "xNEW = xOLD * xOLD\n"},
	"steps in place":       {before: "import torch\nx = torch.randn(2)\n", part: "x += x.exp()\n"},
	"one call a line":      {part: "a(b)\n"},
	"one name a statement": {part: "a;", after: "\n"},

	// Displays and calls.
	"elements":              {before: "x = [", part: "NEW, ", after: "]\n"},
	"elements that compute": {before: "import torch\na = torch.randn(2)\nx = [", part: "a.exp(), ", after: "]\n"},
	"lists":                 {before: "x = [", part: "[NEW, 2], ", after: "]\n"},
	"keys":                  {before: "x = {", part: "'kNEW': NEW, ", after: "}\ny = x['k1']\n"},
	"keys of dicts":         {before: "x = {", part: "'kNEW': {'a': NEW, 'b': [NEW]}, ", after: "}\nfor k, v in x.items(): print(k, v)\n"},
	"keys that are set":     {before: "x = {}\n", part: "x['kNEW'] = x.get('kOLD')\n"},
	"appends":               {before: "x = []\n", part: "x.append(f(NEW))\n"},
	"dicts of dicts":        {before: "a0 = {}\n", part: "aNEW = {**aOLD, 'kNEW': NEW}\n"},
	"updates":               {before: "a = {}\n", part: "a.update({'kNEW': f(NEW)})\n"},
	"arguments":             {before: "x = f(", part: "aNEW, ", after: ")\n"},
	"keywords":              {before: "x = f(", part: "aNEW=bNEW, ", after: ")\n"},
	"starred":               {before: "x = f(", part: "*aNEW, ", after: ")\n"},
	"parameters":            {before: "def f(", part: "aNEW=NEW, ", after: "): return a1\nf()\n"},
	"slices":                {before: "import torch\nx = torch.randn(9)\n", part: "x = x[1:NEW]\n"},
	"comprehensions":        {before: "import torch\nx = torch.randn(9)\n", part: "yNEW = [a.exp() for a in x for b in a if b]\n"},
	"clauses":               {before: "y = [a", part: " for aNEW in aOLD", after: "]\n"},
	"filters":               {before: "y = [a for a in b", part: " if a > NEW", after: "]\n"},
	"lambdas":               {before: "f0 = print\n", part: "fNEW = lambda x: fOLD(x)\n"},
	"unpackings":            {part: "aNEW, (bNEW, *cNEW) = aOLD\n"},

	// Functions and classes.
	"functions":                 {before: "import torch\n", part: "def fNEW(x):\n    return x.exp()\n"},
	"functions in a chain":      {before: "def f0(x): return x\n", part: "def fNEW(x):\n    return fOLD(x) + 1\n"},
	"functions in a chain back": {part: "def fOLD(x):\n    return fNEW(x) + 1\n"},
	"functions of two calls":    {before: "def f0(x): return x\n", part: "def fNEW(x):\n    return fOLD(x.exp()) + fOLD(x.log())\n"},
	"functions of one":          {before: "def f(x, y):\n    return x.exp() * y\n", part: "def fNEW(x):\n    return f(x, NEW)\n"},
	"functions that call all":   {before: "def g(x): return f1(x) + f2(x)\n", part: "def fNEW(x):\n    return g(x)\n"},
	"functions and a caller":    {part: "def fNEW(x): return x\nfNEW(NEW)\n"},
	"calls of one":              {before: "import torch\ndef f(x, y):\n    return x.exp() * y\n", part: "f(torch.randn(2), NEW)\n"},
	"calls of contexts":         {before: "def f(x, y):\n    return [x, y]\nx = 0\n", part: "x = f(x, NEW)\n"},
	"calls that return calls":   {before: "import torch\ndef f(x):\n    return x * 2\nx = torch.randn(2)\n", part: "x = f(x)\n"},
	"functions in functions":    {before: "def f(x):\n", part: "    def gNEW(y): return x + y\n", after: "    return g1(1)\n"},
	"functions of losses":       {before: "import torch\nimport torch.nn.functional as F\n", part: "def fNEW(logp, old, adv):\n    ratio = (logp - old).exp()\n    return -(ratio * adv).mean()\n"},
	"functions of noise":        {before: "import torch\nfrom torch.distributions import Normal\n", part: "def fNEW(mu, std):\n    d = Normal(mu, std)\n    a = d.sample()\n    return d.log_prob(a).sum(-1)\n"},
	"generators":                {part: "def fNEW(x):\n    yield from fOLD(x)\n    yield NEW\n"},
	"decorators":                {before: "def d(f): return f\n", part: "@d\n", after: "def f(x): return x\nf(1)\n"},
	"decorated functions":       {before: "def d(f):\n    def g(*a): return f(*a)\n    return g\n", part: "@d\ndef fNEW(x): return fOLD(x)\n"},
	"classes":                   {part: "class CNEW:\n    def f(self, x): return x.exp()\n"},
	"classes in a chain":        {before: "class C0: pass\n", part: "class CNEW(COLD):\n    def fNEW(self): return self.fOLD()\n"},
	"classes of super":          {before: "class C0:\n    def f(self): return 1\n", part: "class CNEW(COLD):\n    def f(self): return super().f() + 1\n"},
	"classes of one base":       {before: "class C:\n    def f(self, x): return self.g(x)\n", part: "class CNEW(C):\n    def g(self, x): return x + NEW\n"},
	"bases":                     {before: "class C(", part: "BNEW, ", after: "): pass\nC().f()\n"},
	"objects":                   {before: "class C:\n    def __init__(self, a): self.a = a\n", part: "cNEW = C(NEW)\ncNEW.b = cOLD\n"},
	"objects of objects":        {before: "class C:\n    def __init__(self, a): self.a = a\nx = None\n", part: "x = C(x)\n"},
	"methods of a class":        {before: "class C:\n", part: "    def fNEW(self, x): return self.fOLD(x)\n"},
	"methods that write":        {before: "class C:\n", part: "    def fNEW(self, x): self.aNEW = self.aOLD\n"},
	"methods that write one":    {before: "import torch\nclass C:\n", part: "    def fNEW(self, x): self.a = torch.exp(self.a) + x\n"},
	"attributes of an object":   {before: "class C:\n  def __init__(self, x):\n", part: "    self.aNEW = x.bNEW\n"},
	"attributes that are read":  {before: "class C:\n  def f(self, x):\n", part: "    y = self.aNEW.bNEW\n"},
	"properties":                {before: "class C:\n", part: "    @property\n    def fNEW(self): return self.fOLD\n"},
	"class attributes":          {before: "class C:\n", part: "    aNEW = aOLD\n"},
	"fields of a dataclass":     {before: "from dataclasses import dataclass\n@dataclass\nclass C:\n", part: "    aNEW: float = NEW\n", after: "C()\n"},

	// Training programs.
	"layers":                {before: "import torch\nimport torch.nn as nn\n", part: "lNEW = nn.Linear(2, 2)\nx = lNEW(x)\n"},
	"layers of a list":      {before: "import torch.nn as nn\nnet = nn.Sequential(", part: "nn.Linear(2, 2), nn.ReLU(), ", after: ")\ny = net(x)\n"},
	"layers of a class":     {before: "import torch.nn as nn\nclass N(nn.Module):\n  def __init__(self):\n    super().__init__()\n", part: "    self.lNEW = nn.Linear(2, 2)\n", after: "n = N()\n"},
	"networks":              {before: "import torch\nimport torch.nn as nn\n", part: "class NNEW(nn.Module):\n  def __init__(self):\n    super().__init__()\n    self.l = nn.Linear(2, 2)\n  def forward(self, x): return self.l(x)\nnNEW = NNEW()\noNEW = torch.optim.Adam(nNEW.parameters())\n"},
	"networks and copies":   {before: "import copy\nimport torch.nn as nn\nn0 = nn.Linear(2, 2)\n", part: "nNEW = copy.deepcopy(nOLD)\nnNEW.load_state_dict(nOLD.state_dict())\n"},
	"steps":                 {before: "import torch\nnet = torch.nn.Linear(2, 2)\nopt = torch.optim.Adam(net.parameters())\n", part: "loss = net(x).mean()\nopt.zero_grad()\nloss.backward()\nopt.step()\n"},
	"steps in a loop":       {before: "import torch\nnet = torch.nn.Linear(2, 2)\nopt = torch.optim.Adam(net.parameters())\nwhile True:\n", part: "    loss = net(x).mean()\n    opt.zero_grad()\n    loss.backward()\n    opt.step()\n"},
	"losses":                {before: "import torch\nimport torch.nn.functional as F\nnet = torch.nn.Linear(2, 2)\nopt = torch.optim.Adam(net.parameters())\nloss = 0\n", part: "loss = loss + F.mse_loss(net(x), y)\n", after: "opt.zero_grad()\nloss.backward()\nopt.step()\n"},
	"terms of a loss":       {before: "import torch\nnet = torch.nn.Linear(2, 2)\nopt = torch.optim.Adam(net.parameters())\nloss = net(x).mean()", part: " + cNEW * net(x).pow(2).mean()", after: "\nopt.zero_grad()\nloss.backward()\nopt.step()\n"},
	"factors of a loss":     {before: "import torch\nnet = torch.nn.Linear(2, 2)\nopt = torch.optim.Adam(net.parameters())\nloss = net(x).mean()", part: " * torch.exp(yNEW)", after: "\nopt.zero_grad()\nloss.backward()\nopt.step()\n"},
	"policies":              {before: "import torch\nfrom torch.distributions import Categorical\nnet = torch.nn.Linear(4, 2)\n", part: "d = Categorical(logits=net(x))\na = d.sample()\nlogp = d.log_prob(a)\nratio = (logp - old_logp).exp()\nloss = -torch.min(ratio * adv, ratio.clamp(0.8, 1.2) * adv).mean()\n"},
	"policies in functions": {before: "import torch\nfrom torch.distributions import Categorical\nnet = torch.nn.Linear(4, 2)\nopt = torch.optim.Adam(net.parameters())\n", part: "def fNEW(x, old, adv):\n  d = Categorical(logits=net(x))\n  a = d.sample()\n  logp = d.log_prob(a)\n  ratio = (logp - old).exp()\n  loss = -torch.min(ratio * adv, ratio.clamp(0.8, 1.2) * adv).mean()\n  opt.zero_grad()\n  loss.backward()\n  opt.step()\n"},
	"environments":          {before: "import gymnasium as gym\nenv = gym.make('A')\nobs, info = env.reset()\n", part: "obs, r, term, trunc, info = env.step(a)\nbuf.append((obs, r, term or trunc))\n"},
	"episodes":              {before: "import gymnasium as gym\nenv = gym.make('A')\n", part: "obs, info = env.reset()\ndone = False\nwhile not done:\n    obs, r, done, trunc, info = env.step(a)\n    ret = r + 0.99 * ret\n"},
	"returns":               {before: "import numpy as np\n", part: "ret = 0\nfor r in rewards[::-1]:\n    ret = r + gamma * ret\n    returns.insert(0, ret)\nadv = (returns - values)\nadv = (adv - adv.mean()) / adv.std()\n"},
	"autograd Functions":    {before: "import torch\n", part: "class FNEW(torch.autograd.Function):\n  @staticmethod\n  def forward(ctx, x):\n    ctx.save_for_backward(x)\n    return x.exp()\n  @staticmethod\n  def backward(ctx, g):\n    (x,) = ctx.saved_tensors\n    return g * x.exp()\n"},
	"an autograd Function":  {before: "import torch\nclass F(torch.autograd.Function):\n  @staticmethod\n  def forward(ctx, x):\n    ctx.save_for_backward(x)\n    y = x\n", part: "    y = y * x.exp()\n", after: "    return y\n  @staticmethod\n  def backward(ctx, g):\n    (x,) = ctx.saved_tensors\n    return g * x.exp()\n"},
	"settings":              {before: "from trl import GRPOConfig\n", part: "cNEW = GRPOConfig(beta=0.NEW, epsilon=0.2)\n"},
	"options":               {before: "import argparse\np = argparse.ArgumentParser()\n", part: "p.add_argument('--aNEW', type=float, default=0.1)\n", after: "args = p.parse_args()\nprint(args.a1)\n"},
	"prints":                {before: "import torch\nx = torch.randn(2)\n", part: "print('x', x.item(), x.mean().item())\n"},
	"logs":                  {before: "import torch, wandb\nlogp = torch.log_softmax(x, -1)\n", part: "wandb.log({'kl': (logp - ref_logp).mean().item(), 'nNEW': NEW})\n"},
	"seeds":                 {before: "import torch, random\n", part: "torch.manual_seed(NEW)\nx = torch.randn(2)\n"},
	"masks":                 {before: "import torch\n", part: "xNEW = (x * mask).sum() / mask.sum()\n"},
	"kls":                   {before: "import torch\nlogp = torch.log_softmax(x, -1)\nref = torch.log_softmax(y, -1)\n", part: "kl = (torch.exp(ref - logp) - (ref - logp) - 1).mean()\nloss = loss + 0.1 * kl\n"},
	"detachments":           {before: "import torch\nx = torch.randn(2, requires_grad=True)\n", part: "x = x.detach() * x\n"},

	"steps under conditions":                {before: "import torch\nimport torch.nn.functional as F\nnet = torch.nn.Linear(2, 2)\nopt = torch.optim.Adam(net.parameters())\nwhile True:\n    loss = net(x).mean()\n", part: "    if cNEW: opt.zero_grad()\n    if dNEW: loss.backward()\n    if eNEW: opt.step()\n"},
	"steps in tries":                        {before: "import torch\nimport torch.nn.functional as F\nnet = torch.nn.Linear(2, 2)\nopt = torch.optim.Adam(net.parameters())\nloss = net(x).mean()\n", part: "try:\n    opt.zero_grad()\n    loss.backward()\nexcept E:\n    opt.step()\n"},
	"steps in functions":                    {before: "import torch\nimport torch.nn.functional as F\nnet = torch.nn.Linear(2, 2)\nopt = torch.optim.Adam(net.parameters())\n", part: "def fNEW(x):\n    loss = net(x).mean()\n    opt.zero_grad()\n    loss.backward()\n    opt.step()\nfNEW(x)\n"},
	"steps of a function":                   {before: "import torch\nimport torch.nn.functional as F\nnet = torch.nn.Linear(2, 2)\nopt = torch.optim.Adam(net.parameters())\ndef f(x):\n    loss = net(x).mean()\n    opt.zero_grad()\n    loss.backward()\n    opt.step()\n", part: "if cNEW: f(x)\n"},
	"clips under conditions":                {before: "import torch\nimport torch.nn.functional as F\nnet = torch.nn.Linear(2, 2)\nopt = torch.optim.Adam(net.parameters())\n", part: "if cNEW: torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)\nif cNEW: opt.step()\nif cNEW: opt.zero_grad()\n"},
	"losses that are kept":                  {before: "import torch\nimport torch.nn.functional as F\nnet = torch.nn.Linear(2, 2)\nopt = torch.optim.Adam(net.parameters())\ntotal, kept = 0, []\nfor x in xs:\n", part: "    l = F.mse_loss(net(x), y)\n    total += l\n    kept.append(l)\n    l.backward()\n"},
	"named losses":                          {before: "import torch\nimport torch.nn.functional as F\nnet = torch.nn.Linear(2, 2)\nopt = torch.optim.Adam(net.parameters())\nloss = 0\n", part: "l = F.mse_loss(net(x), y)\nloss = loss + l\n", after: "opt.zero_grad()\nloss.backward()\nopt.step()\n"},
	"named losses, each taken":              {before: "import torch\nimport torch.nn.functional as F\nnet = torch.nn.Linear(2, 2)\nopt = torch.optim.Adam(net.parameters())\nloss = 0\nwhile True:\n", part: "    l = F.mse_loss(net(x), y)\n    loss = loss + l\n    loss.backward()\n"},
	"layers that are replaced":              {before: "import torch.nn as nn\nimport torch\nnet = nn.Sequential(nn.Linear(2, 2))\nopt = torch.optim.Adam(net.parameters())\n", part: "net.lNEW = nn.Linear(2, 2)\nopt.step()\n"},
	"layers of an object that are replaced": {before: "import torch.nn as nn\nimport torch\nclass N(nn.Module):\n  def __init__(self):\n    super().__init__()\n    self.l = nn.Linear(2, 2)\nnet = N()\nopt = torch.optim.Adam(net.parameters())\n", part: "net.lNEW = nn.Linear(2, 2)\nif c: opt.step()\n"},
	"optimizers of a network":               {before: "import torch\nimport torch.nn.functional as F\nnet = torch.nn.Linear(2, 2)\nopt = torch.optim.Adam(net.parameters())\n", part: "oNEW = torch.optim.Adam(net.parameters())\noNEW.step()\n"},
	"parameters of many":                    {before: "import torch\nimport torch.nn.functional as F\nnet = torch.nn.Linear(2, 2)\nopt = torch.optim.Adam(net.parameters())\nopt = torch.optim.Adam(", part: "list(nNEW.parameters()) + ", after: "[])\n"},
	"environment steps under conditions":    {before: "import gymnasium as gym\nenv = gym.make('A')\nobs, info = env.reset()\n", part: "if c: obs, r, term, trunc, info = env.step(obs)\nif term: obs, info = env.reset()\n"},
	"squares of ratios":                     {before: "import torch\nr = (logp - old).exp()\nadv = f()\n", part: "r = r * r\nloss = torch.min(r * adv, r.clamp(0.8, 1.2) * adv).mean()\n"},
	"sums of log-probabilities":             {before: "import torch\nfrom torch.distributions import Categorical\nnet = torch.nn.Linear(4, 2)\nopt = torch.optim.Adam(net.parameters())\nlogp = Categorical(logits=net(x)).log_prob(a)\nratio = (logp - old).exp()\nloss = -torch.min(ratio * adv, ratio.clamp(0.8, 1.2) * adv).mean()\nopt.zero_grad()\nloss.backward()\nopt.step()\n", part: "logp = logp + logp\nratio = torch.exp(logp - old)\nloss = torch.min(ratio * adv, ratio.clamp(0.8, 1.2) * adv).mean()\n"},
	"advantages of advantages":              {before: "import torch\nadvantages = returns - values\n", part: "advantages = advantages * advantages\n"},
	"normalised advantages":                 {before: "import torch\nadvantages = returns - values\n", part: "advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)\n"},
	"forgotten KLs":                         {before: "import torch\nfrom torch.distributions import Categorical\nnet = torch.nn.Linear(4, 2)\nopt = torch.optim.Adam(net.parameters())\nlogp = Categorical(logits=net(x)).log_prob(a)\nratio = (logp - old).exp()\nloss = -torch.min(ratio * adv, ratio.clamp(0.8, 1.2) * adv).mean()\nopt.zero_grad()\nloss.backward()\nopt.step()\n", part: "kNEW = torch.exp(ref - logp) - (ref - logp) - 1\n"},
	"KLs that are logged":                   {before: "import torch\nfrom torch.distributions import Categorical\nnet = torch.nn.Linear(4, 2)\nopt = torch.optim.Adam(net.parameters())\nlogp = Categorical(logits=net(x)).log_prob(a)\nratio = (logp - old).exp()\nloss = -torch.min(ratio * adv, ratio.clamp(0.8, 1.2) * adv).mean()\nopt.zero_grad()\nloss.backward()\nopt.step()\n", part: "print(torch.exp(ref - logp) - (ref - logp) - 1)\n"},
	"policy losses":                         {before: "import torch\nfrom torch.distributions import Categorical\nnet = torch.nn.Linear(4, 2)\nopt = torch.optim.Adam(net.parameters())\nlogp = Categorical(logits=net(x)).log_prob(a)\nratio = (logp - old).exp()\nloss = -torch.min(ratio * adv, ratio.clamp(0.8, 1.2) * adv).mean()\nopt.zero_grad()\nloss.backward()\nopt.step()\n", part: "loss = -torch.min(ratio * adv, ratio.clamp(0.8, 1.2) * adv).mean()\nopt.zero_grad()\nloss.backward()\nopt.step()\n"},
	"references":                            {before: "import torch\nfrom torch.distributions import Categorical\nnet = torch.nn.Linear(4, 2)\nopt = torch.optim.Adam(net.parameters())\nlogp = Categorical(logits=net(x)).log_prob(a)\nratio = (logp - old).exp()\nloss = -torch.min(ratio * adv, ratio.clamp(0.8, 1.2) * adv).mean()\nopt.zero_grad()\nloss.backward()\nopt.step()\nimport copy\n", part: "refNEW = copy.deepcopy(net)\nlpNEW = Categorical(logits=refNEW(x)).log_prob(a)\n"},
	"reference models":                      {before: "from transformers import AutoModelForCausalLM\nimport torch\nmodel = AutoModelForCausalLM.from_pretrained('a')\nopt = torch.optim.Adam(model.parameters())\n", part: "refNEW = AutoModelForCausalLM.from_pretrained('a')\nrefNEW.eval()\nlogp = torch.log_softmax(refNEW(x).logits, -1)\n", after: "loss = model(x).logits.mean()\nloss.backward()\nopt.step()\n"},
	"random draws":                          {before: "import torch, random, numpy as np\n", part: "xNEW = torch.randn(2) + np.random.rand() + random.random()\n"},
	"conditions on sizes":                   {before: "import torch\nx = torch.randn(2)\n", part: "if x.numel() > 1: x = (x - x.mean()) / x.std()\n", least: 600},
	"nested tuples":                         {before: "a0 = 1\n", part: "aNEW = (aOLD, aOLD)\n", after: "print(a1)\n"},
	"phis of phis in a function":            {before: "import torch\ndef f(x, c):\n", part: "    if c: x = torch.exp(x)\n    elif x: x = x.log()\n", after: "    return x\nf(torch.randn(2), 1)\n"},
	"a function of many contexts":           {before: "import torch\ndef f(x, y):\n  return f(y, x) if y else x.exp()\nx = torch.randn(2)\n", part: "x = f(x, [x, NEW])\n"},
	"callbacks":                             {before: "def f(g, x): return g(x)\n", part: "def gNEW(x): return f(gOLD, x)\n", after: "f(g1, 1)\n"},
	"partials":                              {before: "import functools\ndef p0(*a): return a\n", part: "pNEW = functools.partial(pOLD, NEW)\n", after: "p1()\n"},
	"loops over lists":                      {before: "import torch\nxs = [1, 2, 3, 4, 5, 6, 7, 8]\ny = torch.randn(2)\n", part: "for x in xs: y = y * x\n"},
	"loops over dicts":                      {before: "d = {'a': 1, 'b': 2, 'c': 3}\ny = 0\n", part: "for k, v in d.items(): y = y + d[k]\n"},
	"loops in functions":                    {before: "def f(x):\n", part: "    for i in x: x = x + i\n    while x: x = x - 1\n", after: "    return x\n"},
	"early returns":                         {before: "def f(x):\n", part: "    if x == NEW: return [x, NEW]\n", after: "    return None\nf(y)\n"},
	"breaks":                                {before: "while True:\n", part: "    if x == NEW: break\n    x = f(x, NEW)\n"},
	"continues":                             {before: "for x in y:\n", part: "    if x == NEW: continue\n    z = f(x, NEW)\n"},
	"finallys":                              {before: "", part: "try: aNEW = 1\nfinally: bNEW = aOLD\n"},
	"registries":                            {before: "R = {}\ndef reg(f):\n  R[f.__name__] = f\n  return f\n", part: "@reg\ndef fNEW(x): return x\n", after: "R['f1'](1)\n"},
	"strings that are formatted":            {before: "x = ''\n", part: "x = x + '%d' % NEW\n"},
	"sequences that grow":                   {before: "x = []\n", part: "x = x + [NEW]\n"},
	"copies of a list":                      {before: "x = [1, 2, 3]\n", part: "x = [*x, NEW]\ny = x[NEW]\n"},
	"enums":                                 {before: "import enum\nclass E(enum.Enum):\n", part: "  ANEW = NEW\n", after: "E.A1\n"},
	"slots of self in loops":                {before: "class C:\n  def f(self, x):\n   while x:\n", part: "    self.aNEW = self.aOLD + x\n", after: "C().f(1)\n"},
	"objects in loops":                      {before: "class C:\n  def __init__(self, a): self.a = a\nwhile c:\n", part: "    oNEW = C(oOLD)\n"},
	"shared state of functions":             {before: "import torch\ns = {'x': torch.randn(2)}\n", part: "def fNEW(): s['x'] = s['x'] * 2\nfNEW()\n"},
	"reads of a global that changes":        {before: "import torch\ng = torch.randn(2)\ndef f(): return g.exp()\n", part: "g = g * 2\nf()\n"},
	"closures over a loop":                  {before: "fs = []\n", part: "for i in range(NEW): fs.append(lambda x: x + i)\n", after: "fs[0](1)\n"},
	"leaves":                                {before: "import torch\nx = torch.randn(2)\n", part: "x = x.requires_grad_()\n", after: "x.sum().backward()\n"},
	"leaves of leaves":                      {before: "import torch\nx = torch.randn(2)\n", part: "x = (x + 1).requires_grad_()\nx.sum().backward()\n", least: 300},
	"optimizers of a list that grows":       {before: "import torch\nimport torch.nn as nn\nps = []\n", part: "nNEW = nn.Linear(2, 2)\nps = ps + list(nNEW.parameters())\noNEW = torch.optim.Adam(ps)\n"},
	"policy losses of each other":           {before: "import torch\nfrom torch.distributions import Categorical\nnet = torch.nn.Linear(4, 2)\nopt = torch.optim.Adam(net.parameters())\nlogp = Categorical(logits=net(x)).log_prob(a)\nk = torch.exp(ref - logp) - (ref - logp) - 1\nloss = 0\n", part: "r = (logp - old).exp()\nloss = loss - torch.min(r * adv, r.clamp(0.8, 1.2) * adv).mean()\nloss.backward()\n"},
}

// program is a text of many equal parts. NEW in a part is its number, OLD the number before.
type program struct {
	before, part, after string
	least               int // parts from which on the work is linear, where a bound has to be hit first
}

// text writes a program of n parts.
func (p program) text(n int) []byte {
	var b strings.Builder
	b.WriteString(p.before)
	for i := 1; i <= n; i++ {
		b.WriteString(strings.NewReplacer("NEW", fmt.Sprint(i), "OLD", fmt.Sprint(i-1)).Replace(p.part))
	}
	b.WriteString(p.after)
	return []byte(b.String())
}

// sized writes a program of about size bytes.
func (p program) sized(size int) []byte { return p.text(max(1, size/(len(p.part)+len(p.part)/8))) }

// TestLongPrograms holds the work of inference and of all rules to the length of a program:
// for twice as many parts, about twice as much is allocated. It measures no time, and no work
// that allocates nothing: BenchmarkLongPrograms does.
func TestLongPrograms(t *testing.T) {
	const usual = 150
	work(t, long["policies"].text(usual)) // loads the tables
	for _, name := range slices.Sorted(maps.Keys(long)) {
		t.Run(name, func(t *testing.T) {
			parts := max(usual, long[name].least)
			one, two := work(t, long[name].text(parts)), work(t, long[name].text(2*parts))
			if two > one*23/10+2000 {
				t.Errorf("%d values are allocated for %d parts, and %d for twice as many", one, parts, two)
			}
		})
	}
}

// TestManyLosses holds it that losses which nobody asked how much of them was understood are counted.
func TestManyLosses(t *testing.T) {
	bounds := checkText(t, long["leaves of leaves"].text(600)).Stats.Bounds()
	if !slices.ContainsFunc(bounds, func(b string) bool { return strings.HasPrefix(b, "values behind losses ") }) {
		t.Errorf("bounds hit: %q", bounds)
	}
}

// BenchmarkLongPrograms reports the seconds that a program takes by the megabyte, and those
// of the rule or step that takes the most, beside its name.
func BenchmarkLongPrograms(b *testing.B) {
	for _, name := range slices.Sorted(maps.Keys(long)) {
		b.Run(strings.ReplaceAll(name, " ", "_"), func(b *testing.B) {
			text := long[name].sized(200_000)
			parts := map[string]float64{}
			for b.Loop() {
				res := checkText(b, text)
				parts["parse"] += res.Stats.Parse.Seconds()
				for name, d := range res.Stats.ByAnalyzer {
					parts[name] += d.Seconds()
				}
			}
			slowest, all := "parse", 0.0
			for name, s := range parts {
				if all += s; s > parts[slowest] {
					slowest = name
				}
			}
			mb := float64(len(text)) / 1e6 * float64(b.N)
			b.ReportMetric(all/mb, "s/MB")
			b.ReportMetric(parts[slowest]/mb, slowest+"-s/MB")
		})
	}
}

// checkText checks a module with all rules, and with what is said where they understand little.
func checkText(t interface{ Fatal(...any) }, text []byte) *engine.Result {
	all := []*analysis.Analyzer{pass.Unheard}
	for _, r := range rules.All() {
		all = append(all, r.Analyzer)
	}
	res, err := engine.Check(context.Background(), []string{"m.py"}, engine.Options{Analyzers: all, Jobs: 1, Overlay: map[string][]byte{"m.py": text}})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// work is how many values are allocated to check a module.
func work(t testing.TB, text []byte) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	checkText(t, text)
	runtime.ReadMemStats(&after)
	return after.Mallocs - before.Mallocs
}
