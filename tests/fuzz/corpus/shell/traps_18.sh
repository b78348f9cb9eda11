for x in a b; { Z1; }
select x in a; do Z1; break; done <<<1
case if in if) Z1;; (then|else) Z2;; esac
case x in esac) N1;; esac
case x in (esac) Z1;; esac
case x in a) Z1 ;& b) Z2 ;;& *) Z3; esac