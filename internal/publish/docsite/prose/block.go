package prose

import (
	"fmt"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// blocks renders the elements that the guides have differently: headings with a
// link to themselves, code with its colours, tables that may scroll.
type blocks struct{}

// RegisterFuncs registers the renderers with the library.
func (blocks) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindHeading, heading)
	r.Register(ast.KindFencedCodeBlock, fence)
	r.Register(east.KindTable, table)
}

func heading(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	n := node.(*ast.Heading) //nolint:forcetypeassert // registered for it
	id, _ := n.AttributeString("id")
	name, _ := id.([]byte)
	switch {
	case n.Level == 1 && entering:
		fmt.Fprint(w, "<h1>")
	case entering:
		fmt.Fprintf(w, `<h%d id="%s"><a class="anchor" href="#%s">`, n.Level, name, name)
	case n.Level == 1:
		fmt.Fprint(w, "</h1>\n")
	default:
		fmt.Fprintf(w, "</a></h%d>\n", n.Level)
	}
	return ast.WalkContinue, nil
}

// fence is a block of code, as Code renders it.
func fence(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	n := node.(*ast.FencedCodeBlock) //nolint:forcetypeassert // registered for it
	var text strings.Builder
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		text.Write(line.Value(source))
	}
	info := ""
	if n.Info != nil {
		info = string(n.Info.Value(source))
	}
	fmt.Fprint(w, Code(info, text.String()))
	return ast.WalkSkipChildren, nil
}

func table(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		fmt.Fprint(w, "<div class=\"scroll\" tabindex=\"0\"><table class=\"grid\">\n")
	} else {
		fmt.Fprint(w, "</table></div>\n")
	}
	return ast.WalkContinue, nil
}
